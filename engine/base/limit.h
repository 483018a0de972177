/* Limits of caches, rings and lists, which change what a decision costs and never what it is. */
#ifndef BERTH_BASE_LIMIT_H
#define BERTH_BASE_LIMIT_H

/* `usual`; in an engine that is compiled with BERTH_SCARCE `scarce`, so that tests on small
 * clusters reach every limit all the time (tests/model/CMakeLists.txt). */
#ifdef BERTH_SCARCE
#define BERTH__LIMIT(usual, scarce) (scarce)
#else
#define BERTH__LIMIT(usual, scarce) (usual)
#endif

#endif
