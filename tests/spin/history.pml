/* The protocol of base/history.h: one writer that publishes SNAPSHOTS snapshots, READERS readers that pin
 * PINS times each, and whoever happens to reclaim. Every step that is atomic there is one step here, and
 * every other one is by itself, so that all interleavings are tried. Effects of weak memory that the
 * orderings forbid are modelled as steps in the forbidden order, in the variants.
 *
 * Objects: own k is shown by snapshot k alone; `longer` by snapshots 1 and 2 (of at least 3).
 *
 * MUTANT: `none` is the protocol; else a part of it is taken out, which must make the check fail. Those
 * that are patches of the engine too (tests/mutants/history_NAME.patch) bear the same name. */
#define none 0
#define publish_relaxed 1 /* PUB-1: a snapshot is seen before it is filled */
#define no_transfer 2     /* pins given while current are forgotten */
#define split_pin 3       /* a pin looks first and counts after */
#define unpin_relaxed 4   /* PUB-2: a read sinks below the unpin */
#define no_second_pass 5  /* PUB-4: a request during a pass is dropped */
#define ignore_older 6    /* objects are freed with their newest snapshot */
#define hand_over_late 7  /* PUB-3: pins are transferred before the snapshot is handed over, and the
                             reclaimer is not told after */
#define incoming_first 8  /* PUB-6: the incoming snapshots are taken before the unseen ones */
#ifndef MUTANT
#define MUTANT none
#endif
#ifndef READERS
#define READERS 2
#endif
#ifndef PINS
#define PINS 2
#endif
#ifndef SNAPSHOTS
#define SNAPSHOTS 3
#endif
#define BIAS 50

byte current = 0;         /* the word: which snapshot, */
byte pins = 0;            /* and the pins it was given */
byte refs[SNAPSHOTS + 1];
bool filled[SNAPSHOTS + 1];
bool incoming[SNAPSHOTS + 1];
bool unseen[SNAPSHOTS + 1];
bool due[SNAPSHOTS + 1];   /* the reclaimer's: the unseen ones that its pass has taken */
bool live[SNAPSHOTS + 1];  /* the reclaimer's */
bool freed[SNAPSHOTS + 1];
bool noted_own[SNAPSHOTS + 1], freed_own[SNAPSHOTS + 1];
byte noted_longer = 0;    /* with which snapshot `longer` is noted */
bool freed_longer = false;
byte requests = 0;
byte reclaiming = 0;
byte done = 0;

inline older_live(v, out)
{
    out = v - 1;
    do
    :: out > 0 && !live[out] -> out--
    :: else -> break
    od
}

inline free_snapshot(v, older)
{
    assert(live[v]);
    older_live(v, older);
    if
    :: noted_own[v] -> noted_own[v] = false; freed_own[v] = true
    :: else
    fi;
    if
    :: noted_longer == v ->
        if
        :: older > 0 && MUTANT != ignore_older -> noted_longer = older
        :: else -> noted_longer = 0; freed_longer = true
        fi
    :: else
    fi;
    live[v] = false;
    assert(!freed[v]);
    freed[v] = true
}

inline take_incoming(v)
{
    atomic {
        v = 1;
        do
        :: v <= SNAPSHOTS ->
            if
            :: incoming[v] -> incoming[v] = false; live[v] = true
            :: else
            fi;
            v++
        :: else -> break
        od
    }
}

inline take_unseen(v)
{
    atomic {
        v = 1;
        do
        :: v <= SNAPSHOTS ->
            if
            :: unseen[v] -> unseen[v] = false; due[v] = true
            :: else
            fi;
            v++
        :: else -> break
        od
    }
}

inline pass(v, older)
{
    if
    :: MUTANT == incoming_first -> take_incoming(v); take_unseen(v)
    :: else -> take_unseen(v); take_incoming(v)
    fi;
    v = SNAPSHOTS;
    do
    :: v > 0 ->
        if
        :: due[v] -> atomic { due[v] = false; free_snapshot(v, older) }
        :: else
        fi;
        v--
    :: else -> break
    od
}

inline reclaim(before, seen, v, older)
{
    atomic { before = requests; requests++ }
    if
    :: before != 0
    :: else ->
        reclaiming++;
        assert(reclaiming == 1);
        seen = 1;
        do
        :: true ->
            pass(v, older);
            atomic {
                before = requests;
                requests = requests - seen;
                if
                :: before == seen || MUTANT == no_second_pass -> reclaiming--
                :: else
                fi
            }
            if
            :: MUTANT == no_second_pass -> requests = 0; break
            :: MUTANT != no_second_pass && before == seen -> break
            :: else -> seen = before - seen
            fi
        od
    fi
}

inline hand_over(old)
{
    atomic {
        noted_own[old] = true;
        if
        :: old == 2 -> noted_longer = 2
        :: else
        fi;
        incoming[old] = true
    }
}

inline transfer(old, given, zero)
{
    atomic {
        refs[old] = refs[old] + given - BIAS;
        zero = (refs[old] == 0)
    }
}

proctype writer()
{
    byte n = 1, old, given, before, seen, v, older;
    bool zero;
    do
    :: n <= SNAPSHOTS ->
        refs[n] = BIAS;
        if
        :: MUTANT != publish_relaxed -> filled[n] = true
        :: else
        fi;
        atomic { old = current; given = pins; current = n; pins = 0 }
        if
        :: MUTANT == publish_relaxed -> filled[n] = true
        :: else
        fi;
        if
        :: old == 0
        :: else ->
            if
            :: MUTANT == no_transfer -> given = 0
            :: else
            fi;
            if
            :: MUTANT == hand_over_late -> transfer(old, given, zero)
            :: else -> hand_over(old); transfer(old, given, zero)
            fi;
            if
            :: zero -> unseen[old] = true; reclaim(before, seen, v, older)
            :: else
            fi;
            if
            :: MUTANT == hand_over_late -> hand_over(old)
            :: else
            fi
        fi;
        n++
    :: else -> break
    od;
    done++
}

inline read_snapshot(v)
{
    assert(filled[v]);
    assert(!freed[v]);
    assert(!freed_own[v]);
    assert(v > 2 || !freed_longer)
}

inline unpin(mine, zero)
{
    atomic {
        refs[mine]--;
        zero = (refs[mine] == 0)
    }
}

proctype reader()
{
    byte k = 0, mine, last = 0, before, seen, v, older;
    bool zero;
    do
    :: k < PINS ->
        if
        :: MUTANT == split_pin -> mine = current; pins++
        :: else -> atomic { mine = current; pins++ }
        fi;
        if
        :: mine == 0
        :: else ->
            assert(mine >= last);
            last = mine;
            read_snapshot(mine);
            if
            :: MUTANT == unpin_relaxed -> unpin(mine, zero); read_snapshot(mine)
            :: else -> read_snapshot(mine); unpin(mine, zero)
            fi;
            if
            :: zero -> unseen[mine] = true; reclaim(before, seen, v, older)
            :: else
            fi
        fi;
        k++
    :: else -> break
    od;
    done++
}

/* When all is quiet only the current snapshot is left, and nothing that it does not show. */
init
{
    byte r = 0, n = 1;
    atomic {
        run writer();
        do
        :: r < READERS -> run reader(); r++
        :: else -> break
        od
    }
    done == READERS + 1;
    assert(requests == 0 && reclaiming == 0);
    do
    :: n < SNAPSHOTS ->
        assert(freed[n] && freed_own[n]);
        n++
    :: else -> break
    od;
    assert(freed_longer && noted_longer == 0);
    assert(!freed[SNAPSHOTS])
}
