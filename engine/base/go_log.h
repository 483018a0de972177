/* The natural logarithm, bit for bit as Go's math.Log computes it on amd64. */
#ifndef BERTH_BASE_GO_LOG_H
#define BERTH_BASE_GO_LOG_H

/* ln(x) for a finite x > 0. */
double berth__go_log(double x);

#endif
