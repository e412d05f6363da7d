/* SDND104 and nothing else: a block on a shaken floor with friction, from event to event in closed form.

   While it slips in the direction s, v' = -a0 sin(omega t) - s cone. It breaks away where |a0 sin(omega t)| reaches
   the cone, an arcsine, and stops at the next root of v, by Newton's method inside a bracket. */
#include <math.h>

static double velocity(double t, double t0, double s, double a0, double omega, double cone)
{
    return a0 / omega * (cos(omega * t) - cos(omega * t0)) - s * cone * (t - t0);
}

static double place(double t, double t0, double s, double a0, double omega, double cone)
{
    double h = t - t0, c = cos(omega * t0);
    return a0 / omega * ((sin(omega * t) - sin(omega * t0)) / omega - c * h) - s * cone * h * h / 2;
}

static double stop_of(double t0, double s, double a0, double omega, double cone, double end)
{
    double low = t0 + 0.05 / omega, high = fmin(end, t0 + 2 * M_PI / omega), t;
    if (s * velocity(high, t0, s, a0, omega, cone) > 0) return INFINITY; /* slips at the end */
    t = t0 + M_PI / omega;
    for (int i = 0; i < 60; i++) {
        double v = velocity(t, t0, s, a0, omega, cone), next;
        if (s * v > 0) low = t; else high = t;
        next = t - v / (-a0 * sin(omega * t) - s * cone);
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (fabs(next - t) <= 4e-16 * t) return next;
        t = next;
    }
    return t;
}

/* Write the instants of the events (s), and return their number; x is the last place (m). */
int march(double a0, double omega, double cone, double end, double *events, double *x)
{
    double first = asin(cone / a0) / omega, half = M_PI / omega, t = 0;
    int count = 0;
    *x = 0;
    for (;;) {
        t = first + half * ceil((t - first) / half);
        if (t >= end) return count;
        events[count++] = t;
        double s = sin(omega * t) > 0 ? -1 : 1, stop = stop_of(t, s, a0, omega, cone, end);
        *x += place(fmin(stop, end), t, s, a0, omega, cone);
        if (stop >= end) return count;
        events[count++] = t = stop;
    }
}
