// mine: a solver in C++, to put yours in its place. It runs as it is:
//
//     c++ -std=c++17 -O2 -o mine mine.cpp
//     veridyn doctor --solver cmd:./mine
//     veridyn run --quick --solver cmd:./mine
//
// Newmark's average acceleration, Newton's method in every step. veridyn.h lies beside it and reads the problems.
#include "veridyn.h"

#include <algorithm>
#include <vector>

using Vector = std::vector<double>;

const char *const INTRODUCTION = R"({"name": "mine", "version": "0.1",)"
    R"( "capabilities": ["mechanical", "multi-dof", "damping", "damping:coupled", "loads", "contact"],)"
    R"( "settings": {"fraction": "step over the shortest time, a period over 2 pi; default 0.005"},)"
    R"( "refinement": [{"fraction": 0.02}, {"fraction": 0.01}, {"fraction": 0.005}, {"fraction": 0.0025}],)"
    R"( "claims": {"order": 2, "method": "newmark", "beta": "1/4", "gamma": "1/2"}})";

struct Newmark {
    const VeridynProblem &p;
    Vector x{p.displacement, p.displacement + p.n}, v{p.velocity, p.velocity + p.n}, a = Vector(p.n);

    explicit Newmark(const VeridynProblem &problem) : p(problem) { a = correction(p.start, 0, x, v, a); }

    double push(int k, const Vector &at) const {  // N, never negative
        return std::max(0.0, -p.stop[k].stiffness * veridyn_gap(&p, k, at.data()));
    }

    // Newton's correction of the acceleration a that belongs to the state (x, v) at the end t of a step of length h.
    Vector correction(double t, double h, const Vector &x, const Vector &v, const Vector &a) const {
        Vector r(p.n), slope(p.n * p.n);
        veridyn_add_loads(&p, t, r.data());
        for (int i = 0, ij = 0; i < p.n; ++i)
            for (int j = 0; j < p.n; ++j, ++ij) {
                r[i] -= p.mass[ij] * a[j] + p.damping[ij] * v[j] + p.stiffness[ij] * x[j];
                slope[ij] = p.mass[ij] + h / 2 * p.damping[ij] + h * h / 4 * p.stiffness[ij];
            }
        for (int k = 0; k < p.stops; ++k) {
            const double force = push(k, x), *normal = p.stop[k].normal;
            for (int i = 0; i < p.n && force > 0; ++i) {
                r[i] -= normal[i] * force;
                for (int j = 0; j < p.n; ++j) slope[i * p.n + j] += normal[i] * normal[j] * h * h / 4 * p.stop[k].stiffness;
            }
        }
        veridyn_solve_linear(p.n, slope.data(), r.data());
        return r;
    }

    void step(double t, double h) {
        Vector next = a, ahead = x, rate = v;
        for (int pass = 0, close = 0; pass < 30 && !close; ++pass) {
            for (int i = 0; i < p.n; ++i) {
                ahead[i] = x[i] + h * v[i] + h * h / 4 * (a[i] + next[i]);
                rate[i] = v[i] + h / 2 * (a[i] + next[i]);
            }
            const Vector change = correction(t, h, ahead, rate, next);
            close = 1;
            for (int i = 0; i < p.n; ++i) next[i] += change[i], close &= std::fabs(change[i]) <= 1e-13 * std::fabs(next[i]);
        }
        for (int i = 0; i < p.n; ++i) x[i] += h * v[i] + h * h / 4 * (a[i] + next[i]), v[i] += h / 2 * (a[i] + next[i]);
        a = next;
    }
};

void solve(const VeridynProblem *p, VeridynResponse *r) {
    Newmark state(*p);
    const double largest = veridyn_setting(p, "fraction", 0.005) / veridyn_fastest(p);
    for (int i = 0; i < p->outputs; ++i) {
        const double begin = i ? p->times[i - 1] : p->start, span = p->times[i] - begin;
        const int parts = span > 0 ? std::max(1, static_cast<int>(std::ceil(span / largest - 1e-9))) : 0;
        for (int j = 1; j <= parts; ++j, ++r->steps) state.step(begin + j * span / parts, span / parts);
        std::copy(state.x.begin(), state.x.end(), r->displacement + i * p->n);
        std::copy(state.v.begin(), state.v.end(), r->velocity + i * p->n);
        for (int k = 0; k < p->stops; ++k) r->normal_force[k * p->outputs + i] = state.push(k, state.x);
    }
}

int main() { return veridyn_serve(INTRODUCTION, solve); }
