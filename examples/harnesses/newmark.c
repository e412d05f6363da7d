/* Newmark's average acceleration for one mass between elastic stops, as a program for veridyn.
 *
 *     cc -std=c99 -O2 -o newmark newmark.c -lm
 *     veridyn doctor --solver cmd:./newmark
 *
 * One JSON object per line comes in, one goes out; logs would go to standard error.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STOPS 16

typedef struct { double normal, gap, stiffness, offset; } Stop;
typedef struct { double m, c, k; int stops; Stop stop[MAX_STOPS]; } System;
typedef struct { double x, v, a; } State;

/* ---- JSON: look values up where they stand; the text is known to be well formed ---- */

static const char *blank(const char *p) { return p + strspn(p, " \t\r\n"); }

static const char *after_text(const char *p) {
    for (++p; *p != '"'; ++p) p += *p == '\\';
    return p + 1;
}

static const char *after(const char *p) { /* the character after a value */
    if (*p == '"') return after_text(p);
    if (*p != '{' && *p != '[') return p + strcspn(p, ",]} \t\r\n");
    for (int depth = 0;;) {
        if (*p == '"') { p = after_text(p); continue; }
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        ++p;
        if (depth == 0) return p;
    }
}

static const char *item(const char *p) { /* the first item of an array or object, NULL if there is none */
    p = blank(p + 1);
    return *p == ']' || *p == '}' ? NULL : p;
}

static const char *next(const char *p) { /* the item after this one, NULL after the last */
    p = blank(after(p));
    return *p == ',' ? blank(p + 1) : NULL;
}

static const char *get(const char *object, const char *key) { /* the value of a key, NULL if there is none */
    size_t n = strlen(key);
    for (const char *p = object ? item(object) : NULL; p;) {
        const char *value = blank(blank(after_text(p)) + 1);
        if (strncmp(p + 1, key, n) == 0 && p[n + 1] == '"') return value;
        p = next(value);
    }
    return NULL;
}

static double number(const char *p, double otherwise) { return p ? strtod(p, NULL) : otherwise; }

static double first(const char *array) { return strtod(array + strspn(array, "[ \t"), NULL); }

static int count(const char *array) {
    int n = 0;
    if (array && *array == '[') for (const char *p = item(array); p; p = next(p)) ++n;
    return n;
}

/* ---- mechanics ---- */

static System read_system(const char *problem) {
    System s;
    s.m = first(get(problem, "mass")), s.c = first(get(problem, "damping")), s.k = first(get(problem, "stiffness"));
    s.stops = 0;
    for (const char *p = item(get(problem, "stops")); p; p = next(p))
        s.stop[s.stops++] = (Stop){first(get(p, "normal")), number(get(p, "gap"), 0), number(get(p, "stiffness"), 0),
                                   number(get(p, "offset"), 0)};
    return s;
}

static double gap(const Stop *s, double x) { return s->gap - (s->normal * x + s->offset); }

static double push(const Stop *s, double x) { return fmax(0.0, -s->stiffness * gap(s, x)); }

static double force(const System *s, double x, double v, double *slope) { /* and its derivative by -x */
    double f = -s->k * x - s->c * v;
    *slope = s->k;
    for (const Stop *stop = s->stop; stop < s->stop + s->stops; ++stop) {
        f -= stop->normal * push(stop, x);
        if (gap(stop, x) < 0) *slope += stop->normal * stop->normal * stop->stiffness;
    }
    return f;
}

static State step(const System *s, State q, double h) { /* Newton on the residual of M a = f(x, v) */
    double x = q.x + h * q.v + h * h / 4 * q.a, v = q.v + h / 2 * q.a, slope;
    double a = q.a;
    for (int i = 0; i < 20; ++i) {
        double f = force(s, x + h * h / 4 * a, v + h / 2 * a, &slope);
        double change = (f - s->m * a) / (s->m + h / 2 * s->c + h * h / 4 * slope);
        a += change;
        if (fabs(change) <= 1e-14 * fabs(a)) break;
    }
    return (State){x + h * h / 4 * a, v + h / 2 * a, a};
}

static double natural_step(const System *s) { /* 1/200 of the shortest time there is */
    double k = s->k;
    for (int i = 0; i < s->stops; ++i) k += s->stop[i].normal * s->stop[i].normal * s->stop[i].stiffness;
    return k > 0 ? 0.005 / sqrt(k / s->m) : INFINITY;
}

/* ---- answers ---- */

static void print_array(const char *name, const double *value, int n, const char *end) {
    printf("\"%s\": [", name);
    for (int i = 0; i < n; ++i) printf(i ? ",%.17g" : "%.17g", value[i]);
    printf("]%s", end);
}

static void print_stop(const char *name, const Stop *s, const double *x, const double *v, int n, double *scratch) {
    printf("%.*s: {", (int)(after(name) - name), name);
    for (int i = 0; i < n; ++i) scratch[i] = push(s, x[i]);
    print_array("normal_force", scratch, n, ", ");
    for (int i = 0; i < n; ++i) scratch[i] = -s->normal * v[i];
    print_array("normal_velocity", scratch, n, ", ");
    for (int i = 0; i < n; ++i) scratch[i] = gap(s, x[i]);
    print_array("gap", scratch, n, "}");
}

static const char *missing(const char *problem) { /* never answer another question in silence */
    if (count(get(problem, "initial_displacement")) != 1) return "several degrees of freedom";
    if (count(get(problem, "loads")) || count(get(problem, "supports"))) return "loads and moving supports";
    if (count(get(problem, "frictions"))) return "friction";
    if (count(get(problem, "stops")) > MAX_STOPS) return "so many stops";
    for (const char *p = item(get(problem, "stops")); p; p = next(p))
        if (strncmp(get(p, "geometry"), "\"plane\"", 7) || number(get(p, "damping"), 0) > 0) return "stops of this kind";
    return count(get(problem, "output_times")) ? NULL : "a choice of output instants of its own";
}

static void solve(const char *question) {
    const char *problem = get(question, "problem");
    int id = (int)number(get(question, "id"), 0);
    if (missing(problem)) { printf("{\"id\": %d, \"not_applicable\": \"%s\"}\n", id, missing(problem)); return; }

    System s = read_system(problem);
    int n = count(get(problem, "output_times"));
    double *t = malloc(4 * n * sizeof *t), *x = t + n, *v = x + n, *scratch = v + n, slope;
    double now = number(get(problem, "start"), 0), h = number(get(get(question, "settings"), "step"), natural_step(&s));
    State q = {first(get(problem, "initial_displacement")), first(get(problem, "initial_velocity")), 0};
    q.a = force(&s, q.x, q.v, &slope) / s.m;
    long steps = 0;
    const char *p = item(get(problem, "output_times"));
    for (int i = 0; i < n; ++i, p = next(p)) {
        t[i] = strtod(p, NULL);
        long parts = (long)fmax(1, ceil((t[i] - now) / h));
        for (long j = 0; j < parts && t[i] > now; ++j, ++steps) q = step(&s, q, (t[i] - now) / parts);
        now = t[i], x[i] = q.x, v[i] = q.v;
    }
    if (!isfinite(q.x)) { printf("{\"id\": %d, \"error\": \"diverged\"}\n", id); free(t); return; }

    printf("{\"id\": %d, \"response\": {", id);
    print_array("time", t, n, ", ");
    print_array("displacement", x, n, ", ");
    print_array("velocity", v, n, ", \"elements\": {");
    const Stop *stop = s.stop;
    for (p = item(get(problem, "stops")); p; p = next(p), ++stop) {
        if (stop > s.stop) printf(", ");
        print_stop(get(p, "name"), stop, x, v, n, scratch);
    }
    printf("}, \"counters\": {\"steps\": %ld}}}\n", steps);
    free(t);
}

static char *read_line(void) { /* of any length; NULL at the end of the input */
    size_t size = 1 << 16, n = 0;
    char *line = malloc(size);
    while (fgets(line + n, (int)(size - n), stdin)) {
        n += strlen(line + n);
        if (line[n - 1] == '\n') return line;
        if (n + 1 == size) line = realloc(line, size *= 2);
    }
    free(line);
    return NULL;
}

int main(void) {
    for (char *line; (line = read_line()); free(line)) {
        const char *command = get(blank(line), "command");
        if (!strncmp(command, "\"start\"", 7))
            puts("{\"name\": \"newmark-c\", \"version\": \"1.0\", \"capabilities\": [\"mechanical\", \"contact\"], "
                 "\"settings\": {\"step\": \"step (s); default 1/200 of the shortest time\"}, "
                 "\"claims\": {\"order\": 2}, \"refinement\": [{\"step\": 1e-4}, {\"step\": 5e-5}, {\"step\": 2.5e-5}]}");
        else if (!strncmp(command, "\"solve\"", 7))
            solve(blank(line));
        else
            return 0;
        fflush(stdout);
    }
    return 0;
}
