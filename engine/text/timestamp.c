/* Reads RFC 3339 times without the C library, whose parsers depend on locales and time zones. */
#include "text/timestamp.h"

#include <stdio.h>

typedef struct scan {
    const char *at;
    const char *end;
    bool ok;
} scan;

/* Read `width` digits with a value in low..high. */
static int take_number(scan *s, int width, int low, int high)
{
    int value = 0;
    if (s->end - s->at < width)
        s->ok = false;
    for (int i = 0; s->ok && i < width; i++, s->at++) {
        if (*s->at < '0' || *s->at > '9')
            s->ok = false;
        value = value * 10 + (*s->at - '0');
    }
    s->ok = s->ok && value >= low && value <= high;
    return value;
}

static char take_char(scan *s, const char *allowed)
{
    for (; s->ok && s->at < s->end && *allowed != '\0'; allowed++) {
        if (*s->at == *allowed)
            return *s->at++;
    }
    s->ok = false;
    return '\0';
}

/* Days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the leap
 * day comes last, in eras of 400 years. */
static int64_t days_of(int year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* Read nanoseconds after a point. Finer digits are dropped. */
static int64_t take_fraction(scan *s)
{
    int64_t nanos = 0;
    int64_t unit = 100000000;
    if (s->at == s->end || *s->at != '.')
        return 0;
    s->at++;
    s->ok = s->ok && s->at < s->end && *s->at >= '0' && *s->at <= '9';
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++, unit /= 10)
        nanos += (*s->at - '0') * unit;
    return nanos;
}

/* Read a zone, in seconds east of Greenwich. */
static int take_zone(scan *s)
{
    char sign = take_char(s, "Zz+-");
    if (sign != '+' && sign != '-')
        return 0;
    int hours = take_number(s, 2, 0, 23);
    take_char(s, ":");
    int minutes = take_number(s, 2, 0, 59);
    int seconds = (hours * 60 + minutes) * 60;
    return sign == '-' ? -seconds : seconds;
}

bool berth__timestamp_parse(berth_str text, int64_t *out)
{
    scan s = {text.data, text.data + text.len, text.len > 0};
    int year = take_number(&s, 4, 0, 9999);
    take_char(&s, "-");
    int month = take_number(&s, 2, 1, 12);
    take_char(&s, "-");
    int day = take_number(&s, 2, 1, s.ok ? days_in(year, month) : 31);
    take_char(&s, "Tt ");
    int hour = take_number(&s, 2, 0, 23);
    take_char(&s, ":");
    int minute = take_number(&s, 2, 0, 59);
    take_char(&s, ":");
    int second = take_number(&s, 2, 0, 60);
    int64_t nanos = take_fraction(&s);
    int zone = take_zone(&s);
    if (!s.ok || s.at != s.end)
        return false;
    int64_t seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone;
    /* Some tools write Go's zero time, the year 1, which is out of range. */
    if (__builtin_mul_overflow(seconds, INT64_C(1000000000), out) ||
        __builtin_add_overflow(*out, nanos, out))
        *out = seconds < 0 ? INT64_MIN : INT64_MAX;
    return true;
}

/* The date of a number of days since 1970, by the same eras. */
static void date_of(int64_t days, int *year, int *month, int *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * years + years / 4 - years / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = (int)(years + era * 400 + (*month <= 2));
}

void berth__timestamp_format(int64_t time_ns, char out[BERTH__TIMESTAMP_BYTES])
{
    int64_t second_ns = INT64_C(1000000000), seconds = time_ns / second_ns;
    int year, month, day, nanos = (int)(time_ns % second_ns);
    if (nanos < 0) {
        nanos += (int)second_ns;
        seconds--;
    }
    int64_t days = seconds / 86400 - (seconds % 86400 < 0);
    int of_day = (int)(seconds - days * 86400);
    date_of(days, &year, &month, &day);
    int at = snprintf(out, BERTH__TIMESTAMP_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d", year, month,
                      day, of_day / 3600, of_day / 60 % 60, of_day % 60);
    if (nanos != 0)
        at += snprintf(out + at, BERTH__TIMESTAMP_BYTES - (size_t)at, ".%09d", nanos);
    snprintf(out + at, BERTH__TIMESTAMP_BYTES - (size_t)at, "Z");
}
