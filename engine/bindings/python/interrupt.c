/* Ends calls of the main thread when SIGINT (Ctrl-C) arrives.
 *
 * Python's own handler of a signal only notes it; the interpreter acts on it once C has returned.
 * So while a call of the main thread runs, SIGINT has a handler here, which sets the numbers that
 * the call looks at, and passes the signal on to the handler that was there before.
 *
 * The handler touches the list of calls only on the main thread, which is the thread that changes
 * it; other threads send the signal there. */
#include "batch.h"

#include <pthread.h>
#include <signal.h>

static berth_py_call *volatile innermost; /* each knows the call around it */
static pthread_t main_thread;
static struct sigaction before; /* the handler that ours has replaced */

static void on_interrupt(int number, siginfo_t *info, void *context)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
        return;
    }
    for (berth_py_call *call = innermost; call != NULL; call = call->outer)
        __atomic_store_n(&call->cancel, 1, __ATOMIC_RELAXED);
    if ((before.sa_flags & SA_SIGINFO) != 0)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

static bool ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == on_interrupt;
}

/* Whether SIGINT has our handler now. A signal that is ignored or ends the process stays so. */
static bool install(void)
{
    struct sigaction now;
    if (sigaction(SIGINT, NULL, &now) != 0)
        return false;
    if (ours(&now))
        return true;
    if ((now.sa_flags & SA_SIGINFO) == 0 &&
        (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
        return false;
    before = now;
    main_thread = pthread_self();
    now.sa_flags |= SA_SIGINFO;
    now.sa_sigaction = on_interrupt;
    return sigaction(SIGINT, &now, NULL) == 0;
}

void berth_py_call_begin(berth_py_call *call)
{
    if (!install())
        return;
    call->watched = true;
    call->outer = innermost;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the handler sees complete calls only */
    innermost = call;
}

void berth_py_call_end(berth_py_call *call)
{
    struct sigaction now;
    if (!call->watched)
        return;
    call->watched = false;
    if (innermost == call) {
        innermost = call->outer;
    } else { /* an exception has kept the calls inside this one from ending first */
        for (berth_py_call *each = innermost; each != NULL; each = each->outer)
            if (each->outer == call)
                each->outer = call->outer;
    }
    /* Leave alone a handler that a callback has installed meanwhile. */
    if (innermost == NULL && sigaction(SIGINT, NULL, &now) == 0 && ours(&now))
        sigaction(SIGINT, &before, NULL);
}
