/* The natural logarithm, rounded as Go rounds it. kube-scheduler's scores depend on the last bit of
 * logarithms, and C libraries round about one in a hundred differently from Go. Both use the
 * formula ln(x) = k ln 2 + ln(1 + f) and approximate in s = f / (2 + f). The order of the
 * operations decides the last bit, so do not rearrange them.
 * Source of the method: FreeBSD's e_log, which Go's math.Log follows. */
#include "base/go_log.h"

#include <math.h>

#include "base/assert.h"

double berth__go_log(double x)
{
    const double ln2_high = 6.93147180369123816490e-01;
    const double ln2_low = 1.90821492927058770002e-10;
    const double l1 = 6.666666666666735130e-01, l2 = 3.999999999940941908e-01;
    const double l3 = 2.857142874366239149e-01, l4 = 2.222219843214978396e-01;
    const double l5 = 1.818357216161805012e-01, l6 = 1.531383769920937332e-01;
    const double l7 = 1.479819860511658591e-01;
    BERTH_ASSERT(x > 0 && isfinite(x));
    int exponent;
    double mantissa = frexp(x, &exponent); /* in [1/2, 1) */
    if (mantissa < M_SQRT2 / 2) {
        mantissa *= 2;
        exponent--;
    }
    double k = (double)exponent;
    double f = mantissa - 1;
    double s = f / (2 + f);
    double z = s * s;
    double q = z * z;
    double odd = z * (l1 + q * (l3 + q * (l5 + q * l7)));
    double even = q * (l2 + q * (l4 + q * l6));
    double rest = odd + even;
    double half = 0.5 * f * f;
    return k * ln2_high - ((half - (s * (half + rest) + k * ln2_low)) - f);
}
