/* Bites: a source file with one part of its protocol taken out, to show that the checks notice.
 *
 * A test program builds the file again with BERTH_BITE=N, N from this list, in place of the
 * library's, and must fail (tests/stress/CMakeLists.txt). Numbers are in use there, and 1 to 6 in
 * tests/spin/history.pml: they do not change. The library itself is built without any. */
#ifndef BERTH_BASE_BITE_H
#define BERTH_BASE_BITE_H

#ifndef BERTH_BITE
#define BERTH_BITE 0
#endif

/* base/history.c */
#define BERTH_BITE_PUBLISH_RELAXED 1 /* PUB-1: without release and acquire */
#define BERTH_BITE_NO_TRANSFER 2     /* pins given while current are forgotten */
#define BERTH_BITE_SPLIT_PIN 3       /* look first, count after */
#define BERTH_BITE_UNPIN_RELAXED 4   /* PUB-2: without release and acquire */
#define BERTH_BITE_NO_SECOND_PASS 5  /* PUB-4: a request during a pass is dropped */
#define BERTH_BITE_IGNORE_OLDER 6    /* free what an older pinned version still shows */

/* base/cow_array.c */
#define BERTH_BITE_WRITE_SHARED 11 /* write to pages that others see */

/* versions/follow.c */
#define BERTH_BITE_PODS_STAY 21  /* pods of kept nodes are not compared */
#define BERTH_BITE_NODES_STAY 22 /* nodes that come and go are not compared */
#define BERTH_BITE_OLD_SUMS 23   /* sums of another layout are believed */
#define BERTH_BITE_QUIET 24      /* the journal does not tell */

#endif
