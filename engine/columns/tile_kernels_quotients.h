/* Quotients of whole numbers, for several dividends of one divisor; a part of tile_kernels_body.h.
 * A processor divides far more slowly than it multiplies, so with a fused multiply-add they are
 * products with the divisor's inverse, and still have the bits that a division has. The divisor is
 * from 1 to BERTH__INVERTIBLE_AMOUNT, the dividend from 0 to four times as much. */

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)

static inline double inverse_of(double divisor)
{
    return 1.0 / divisor;
}

/* The product is off by at most two units in the last place, and its remainder is exact. So before
 * the last rounding, the sum is off by at most 2^-52 of such a unit. The exact quotient is further
 * than that from each number halfway between two doubles: by at least half a unit divided by the
 * divisor. */
static inline double quotient(double dividend, double divisor, double inverse)
{
    const double near = dividend * inverse;
    return __builtin_fma(__builtin_fma(-near, divisor, dividend), inverse, near);
}

/* 100 * dividend / divisor, truncated, for a dividend of at most the divisor. With half a unit more
 * the exact quotient is at least 2^-45 from every whole number, and the product is off by at most
 * 101 * 2^-52. */
static inline double hundredths(double dividend, double divisor, double inverse)
{
    (void)divisor;
    return __builtin_trunc(__builtin_fma(dividend, 100.0, 0.5) * inverse);
}

#else

static inline double inverse_of(double divisor)
{
    (void)divisor;
    return 0;
}

static inline double quotient(double dividend, double divisor, double inverse)
{
    (void)inverse;
    return dividend / divisor;
}

static inline double hundredths(double dividend, double divisor, double inverse)
{
    (void)inverse;
    return __builtin_trunc(dividend * 100.0 / divisor);
}

#endif
