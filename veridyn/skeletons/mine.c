/* mine: a solver in C, to put yours in its place. It runs as it is:
 *
 *     cc -std=c99 -O2 -o mine mine.c -lm
 *     veridyn doctor --solver cmd:./mine
 *     veridyn run --quick --solver cmd:./mine
 *
 * Newmark's average acceleration, Newton's method in every step. veridyn.h lies beside it and reads the problems.
 */
#include "veridyn.h"

static const char *INTRODUCTION =
    "{\"name\": \"mine\", \"version\": \"0.1\","
    " \"capabilities\": [\"mechanical\", \"multi-dof\", \"damping\", \"damping:coupled\", \"loads\", \"contact\"],"
    " \"settings\": {\"fraction\": \"step over the shortest time, a period over 2 pi; default 0.005\"},"
    " \"refinement\": [{\"fraction\": 0.02}, {\"fraction\": 0.01}, {\"fraction\": 0.005}, {\"fraction\": 0.0025}],"
    " \"claims\": {\"order\": 2, \"method\": \"newmark\", \"beta\": \"1/4\", \"gamma\": \"1/2\"}}";

static double push(const VeridynProblem *p, int k, const double *x) { /* N, never negative */
    return fmax(0, -p->stop[k].stiffness * veridyn_gap(p, k, x));
}

/* Returns M a - forces in r, and its derivative by a in s, at x + h²/4 a and v + h/2 a. */
static void residual(const VeridynProblem *p, double t, double h, const double *x, const double *v, const double *a, double *r, double *s) {
    const int n = p->n;
    for (int i = 0; i < n; ++i) r[i] = 0;
    veridyn_add_loads(p, t, r);
    for (int i = 0; i < n; ++i) {
        r[i] = -r[i];
        for (int j = 0, ij = i * n; j < n; ++j, ++ij) {
            r[i] += p->mass[ij] * a[j] + p->damping[ij] * v[j] + p->stiffness[ij] * x[j];
            s[ij] = p->mass[ij] + h / 2 * p->damping[ij] + h * h / 4 * p->stiffness[ij];
        }
    }
    for (int k = 0; k < p->stops; ++k) {
        const double force = push(p, k, x), *normal = p->stop[k].normal;
        for (int i = 0; i < n && force > 0; ++i) {
            r[i] += normal[i] * force;
            for (int j = 0; j < n; ++j) s[i * n + j] += normal[i] * normal[j] * h * h / 4 * p->stop[k].stiffness;
        }
    }
}

static void step(const VeridynProblem *p, double t, double h, double *x, double *v, double *a, double *work) {
    const int n = p->n;
    double *s = work, *r = s + n * n, *xs = r + n, *vs = xs + n, *as = vs + n;
    for (int i = 0; i < n; ++i) as[i] = a[i];
    for (int pass = 0, done = 0; pass < 30 && !done; ++pass) {
        for (int i = 0; i < n; ++i) xs[i] = x[i] + h * v[i] + h * h / 4 * (a[i] + as[i]), vs[i] = v[i] + h / 2 * (a[i] + as[i]);
        residual(p, t + h, h, xs, vs, as, r, s);
        veridyn_solve_linear(n, s, r);
        done = 1;
        for (int i = 0; i < n; ++i) as[i] -= r[i], done &= fabs(r[i]) <= 1e-13 * fabs(as[i]);
    }
    for (int i = 0; i < n; ++i) {
        x[i] += h * v[i] + h * h / 4 * (a[i] + as[i]), v[i] += h / 2 * (a[i] + as[i]);
        a[i] = as[i];
    }
}

static void solve(const VeridynProblem *p, VeridynResponse *r) {
    const int n = p->n;
    const double largest = veridyn_setting(p, "fraction", 0.005) / veridyn_fastest(p);
    double *x = veridyn_doubles(n), *v = veridyn_doubles(n), *a = veridyn_doubles(n), *work = veridyn_doubles(n * n + 4 * n);
    memcpy(x, p->displacement, n * sizeof *x), memcpy(v, p->velocity, n * sizeof *v);
    residual(p, p->start, 0, x, v, a, work, work + n); /* with a = 0: minus the forces, and the mass */
    for (int i = 0; i < n; ++i) a[i] = -work[i];
    veridyn_solve_linear(n, work + n, a);
    for (int i = 0; i < p->outputs; ++i) {
        const double begin = i ? p->times[i - 1] : p->start, span = p->times[i] - begin;
        const int parts = span > 0 ? (int)fmax(1, ceil(span / largest - 1e-9)) : 0;
        for (int j = 0; j < parts; ++j, ++r->steps) step(p, begin + j * span / parts, span / parts, x, v, a, work);
        memcpy(r->displacement + i * n, x, n * sizeof *x), memcpy(r->velocity + i * n, v, n * sizeof *v);
        for (int k = 0; k < p->stops; ++k) r->normal_force[k * p->outputs + i] = push(p, k, x);
    }
}

int main(void) { return veridyn_serve(INTRODUCTION, solve); }
