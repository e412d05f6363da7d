/* The client of veridyn's command protocol for C, C++ and Fortran: one header, no dependencies.
 *
 * Write a function that fills a VeridynResponse, and hand it to veridyn_serve: it reads questions from standard input,
 * one JSON object a line, and writes the answers to standard output. Logs go to standard error.
 * Matrices are row by row. Histories have a row an instant: displacement[i * n + j] is unknown j at times[i].
 * Fortran: cc -x c -DVERIDYN_EXPORT -c veridyn.h -o client.o
 */
#ifndef VERIDYN_H
#define VERIDYN_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef VERIDYN_EXPORT
#define VERIDYN_CALL
#else
#define VERIDYN_CALL static inline
#endif

typedef struct { /* pushes by max(0, -stiffness * gap - damping * rate of the gap) against the normal */
    const double *normal;
    double gap, stiffness, damping, offset; /* the gap of a state is gap - (normal . x + offset) */
    const char *name;                       /* in the text of the question, with its quotes */
} VeridynStop;

typedef struct { /* M x'' + C x' + K x = loads + stops */
    int n, outputs, stops, loads;
    double start, end;
    const double *mass, *damping, *stiffness, *displacement, *velocity, *times;
    const VeridynStop *stop;
    const char *json, *settings; /* texts of the problem and of the settings, for veridyn_get */
    const struct VeridynLoad *load;
} VeridynProblem;

typedef struct { /* histories are there and zero; normal_force[k * outputs + i] is that of stop k at times[i] */
    double *displacement, *velocity, *normal_force;
    long steps;
    const char *not_applicable, *error; /* instead of an answer: what is missing, what went wrong */
} VeridynResponse;

typedef void (*VeridynSolve)(const VeridynProblem *, VeridynResponse *);

/* ---- JSON: values are looked up where they stand in the text, which is known to be well formed ---- */

static inline const char *veridyn_blank(const char *p) { return p + strspn(p, " \t\r\n"); }

static inline const char *veridyn_after_text(const char *p) {
    for (++p; *p != '"'; ++p) p += *p == '\\';
    return p + 1;
}

static inline const char *veridyn_after(const char *p) { /* the character after a value */
    int depth = 0;
    if (*p != '"' && *p != '{' && *p != '[') return p + strcspn(p, ",]} \t\r\n");
    do {
        if (*p == '"') { p = veridyn_after_text(p); continue; }
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        ++p;
    } while (depth);
    return p;
}

static inline const char *veridyn_item(const char *p) { /* the first item of an array or object; NULL without any */
    if (!p || (*p != '[' && *p != '{')) return NULL;
    p = veridyn_blank(p + 1);
    return *p == ']' || *p == '}' ? NULL : p;
}

static inline const char *veridyn_next(const char *p) { /* the item after this one; NULL after the last */
    p = veridyn_blank(veridyn_after(p));
    return *p == ',' ? veridyn_blank(p + 1) : NULL;
}

static inline const char *veridyn_get(const char *object, const char *key) { /* the value of a key; NULL without it */
    size_t length = strlen(key);
    for (const char *p = veridyn_item(object); p;) {
        const char *value = veridyn_blank(veridyn_blank(veridyn_after_text(p)) + 1);
        if (!strncmp(p + 1, key, length) && p[length + 1] == '"') return value;
        p = veridyn_next(value);
    }
    return NULL;
}

static inline int veridyn_count(const char *array) {
    int count = 0;
    for (const char *p = veridyn_item(array); p; p = veridyn_next(p)) ++count;
    return count;
}

static inline int veridyn_is(const char *value, const char *text) {
    size_t length = strlen(text);
    return value && *value == '"' && !strncmp(value + 1, text, length) && value[length + 1] == '"';
}

static inline double veridyn_number(const char *p, double otherwise) { /* 1.5, or a text such as "3/4" or "2*pi" */
    double result = 1;
    char sign = '*';
    if (!p || *p == 'n') return otherwise;
    for (p += *p == '"';; ++p) {
        char *end;
        double factor = strncmp(p, "pi", 2) ? strtod(p, &end) : 3.14159265358979323846;
        p = strncmp(p, "pi", 2) ? end : p + 2;
        result = sign == '*' ? result * factor : result / factor;
        sign = *p;
        if (sign != '*' && sign != '/') return result;
    }
}

VERIDYN_CALL double veridyn_setting(const VeridynProblem *p, const char *name, double otherwise) {
    return veridyn_number(veridyn_get(p->settings, name), otherwise);
}

/* ---- memory of a question: all is freed with the answer ---- */

typedef struct VeridynBlock { struct VeridynBlock *next; double first; } VeridynBlock;

static inline VeridynBlock **veridyn_blocks(void) {
    static VeridynBlock *blocks;
    return &blocks;
}

static inline void *veridyn_new(size_t size) { /* zeroed */
    VeridynBlock *block = (VeridynBlock *)calloc(1, sizeof *block + size);
    if (!block) { fputs("no memory\n", stderr); exit(1); }
    block->next = *veridyn_blocks(), *veridyn_blocks() = block;
    return &block->first;
}

static inline void veridyn_free_all(void) {
    for (VeridynBlock *block = *veridyn_blocks(), *next; block; block = next) next = block->next, free(block);
    *veridyn_blocks() = NULL;
}

static inline double *veridyn_doubles(int count) { return (double *)veridyn_new((size_t)count * sizeof(double)); }

static inline double *veridyn_array(const char *array) { /* numbers, or the rows of a matrix one after another */
    int count = 0, rows = veridyn_count(array), i = 0;
    const char *p = veridyn_item(array), *q;
    int nested = p && *p == '[';
    double *result = veridyn_doubles(nested ? rows * veridyn_count(p) : rows);
    for (; p; p = veridyn_next(p)) {
        if (!nested) result[count++] = veridyn_number(p, 0);
        else for (q = veridyn_item(p), i = 0; q; q = veridyn_next(q), ++i) result[count++] = veridyn_number(q, 0);
    }
    return result;
}

/* ---- functions of time ---- */

typedef struct VeridynFunction {
    char kind; /* h: harmonic, p: piecewise, s: sum, w: windowed */
    double amplitude, omega, phase, start, end;
    int count, *degrees;
    double *breaks, **coefficients;
    struct VeridynFunction *parts;
} VeridynFunction;

typedef struct VeridynLoad { double *direction; VeridynFunction function; } VeridynLoad;

static inline int veridyn_read_function(const char *p, VeridynFunction *f) { /* 0 if this header does not know it */
    const char *q, *all = veridyn_get(p, "summands");
    int order = (int)veridyn_number(veridyn_get(p, "order"), 0), i = 0;
    if (veridyn_is(veridyn_get(p, "kind"), "harmonic")) {
        f->kind = 'h', f->omega = veridyn_number(veridyn_get(p, "omega"), 0);
        f->amplitude = veridyn_number(veridyn_get(p, "amplitude"), 0) * pow(f->omega, order);
        f->phase = veridyn_number(veridyn_get(p, "phase"), 0) + order * 1.57079632679489661923;
        return 1;
    }
    if (veridyn_is(veridyn_get(p, "kind"), "piecewise")) {
        f->kind = 'p', f->count = veridyn_count(veridyn_get(p, "breaks")), f->breaks = veridyn_array(veridyn_get(p, "breaks"));
        f->coefficients = (double **)veridyn_new((size_t)f->count * sizeof(double *));
        f->degrees = (int *)veridyn_new((size_t)f->count * sizeof(int));
        for (q = veridyn_item(veridyn_get(p, "coefficients")); q; q = veridyn_next(q), ++i)
            f->degrees[i] = veridyn_count(q), f->coefficients[i] = veridyn_array(q);
        return 1;
    }
    if (veridyn_is(veridyn_get(p, "kind"), "windowed")) {
        f->kind = 'w', f->start = veridyn_number(veridyn_get(p, "start"), 0), f->end = veridyn_number(veridyn_get(p, "end"), 0);
        f->parts = (VeridynFunction *)veridyn_new(sizeof *f->parts);
        return order == 0 && veridyn_read_function(veridyn_get(p, "function"), f->parts);
    }
    f->kind = 's', f->count = veridyn_count(all);
    f->parts = (VeridynFunction *)veridyn_new((size_t)f->count * sizeof *f->parts);
    for (q = veridyn_item(all); q; q = veridyn_next(q), ++i)
        if (!veridyn_read_function(q, f->parts + i)) return 0;
    return all != NULL;
}

static inline double veridyn_value(const VeridynFunction *f, double t) {
    double sum = 0;
    int i = 0, k;
    if (f->kind == 'h') return f->amplitude * sin(f->omega * t + f->phase);
    if (f->kind == 'w') return t < f->start || t > f->end ? 0 : veridyn_value(f->parts, t);
    if (f->kind == 's') for (; i < f->count; ++i) sum += veridyn_value(f->parts + i, t);
    else {
        int past = f->count;
        while (i < past) { /* the first break that is still to come */
            k = (i + past) / 2;
            if (f->breaks[k] <= t) i = k + 1; else past = k;
        }
        if (i) for (k = f->degrees[i - 1]; k--;) sum = sum * (t - f->breaks[i - 1]) + f->coefficients[i - 1][k];
    }
    return sum;
}

VERIDYN_CALL void veridyn_add_loads(const VeridynProblem *p, double t, double *force) {
    for (int k = 0; k < p->loads; ++k) {
        double value = veridyn_value(&p->load[k].function, t);
        for (int i = 0; i < p->n; ++i) force[i] += p->load[k].direction[i] * value;
    }
}

/* ---- mechanics that most solvers need ---- */

VERIDYN_CALL void veridyn_solve_linear(int n, double *a, double *b) { /* a x = b; a is overwritten, b becomes x */
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        for (int j = k; j < n; ++j) { double held = a[k * n + j]; a[k * n + j] = a[pivot * n + j], a[pivot * n + j] = held; }
        { double held = b[k]; b[k] = b[pivot], b[pivot] = held; }
        for (int i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n; k--;) {
        for (int j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

VERIDYN_CALL double veridyn_fastest(const VeridynProblem *p) { /* no circular frequency is larger (rad/s), stops closed */
    double largest = 0, *rows = veridyn_doubles(p->n);
    for (int j = 0; j < p->n; ++j) { /* the columns of the inverse mass times stiffness */
        double *column = veridyn_doubles(p->n), *mass = veridyn_doubles(p->n * p->n);
        memcpy(mass, p->mass, (size_t)(p->n * p->n) * sizeof *mass);
        for (int i = 0; i < p->n; ++i) {
            column[i] = p->stiffness[i * p->n + j];
            for (int k = 0; k < p->stops; ++k)
                column[i] += p->stop[k].normal[i] * p->stop[k].normal[j] * p->stop[k].stiffness;
        }
        veridyn_solve_linear(p->n, mass, column);
        for (int i = 0; i < p->n; ++i) rows[i] += fabs(column[i]);
    }
    for (int i = 0; i < p->n; ++i) largest = fmax(largest, rows[i]);
    return sqrt(largest);
}

VERIDYN_CALL double veridyn_gap(const VeridynProblem *p, int k, const double *x) {
    double y = p->stop[k].offset;
    for (int i = 0; i < p->n; ++i) y += p->stop[k].normal[i] * x[i];
    return p->stop[k].gap - y;
}

/* ---- questions and answers ---- */

static inline const char *veridyn_read_problem(const char *message, VeridynProblem *p) { /* what this header lacks */
    static const char *const foreign[] = {"supports", "frictions", "devices", "varying"};
    const char *q, *json = veridyn_get(message, "problem");
    int k = 0;
    memset(p, 0, sizeof *p);
    p->json = json, p->settings = veridyn_get(message, "settings");
    for (int i = 0; i < 4; ++i) if (veridyn_count(veridyn_get(json, foreign[i]))) return foreign[i];
    if (!veridyn_item(veridyn_get(json, "mass"))) return "a mass matrix";
    if (!veridyn_item(veridyn_get(json, "output_times"))) return "a choice of output instants of its own";
    p->start = veridyn_number(veridyn_get(json, "start"), 0), p->end = veridyn_number(veridyn_get(json, "end"), 0);
    p->n = veridyn_count(veridyn_get(json, "mass")), p->outputs = veridyn_count(veridyn_get(json, "output_times"));
    p->mass = veridyn_array(veridyn_get(json, "mass")), p->damping = veridyn_array(veridyn_get(json, "damping"));
    p->stiffness = veridyn_array(veridyn_get(json, "stiffness")), p->times = veridyn_array(veridyn_get(json, "output_times"));
    p->displacement = veridyn_array(veridyn_get(json, "initial_displacement"));
    p->velocity = veridyn_array(veridyn_get(json, "initial_velocity"));
    p->stops = veridyn_count(veridyn_get(json, "stops")), p->loads = veridyn_count(veridyn_get(json, "loads"));
    VeridynStop *stop = (VeridynStop *)veridyn_new((size_t)p->stops * sizeof *stop);
    for (q = veridyn_item(veridyn_get(json, "stops")); q; q = veridyn_next(q), ++k) {
        if (!veridyn_is(veridyn_get(q, "geometry"), "plane") || !veridyn_get(q, "stiffness")) return "stops of this kind";
        stop[k].normal = veridyn_array(veridyn_get(q, "normal")), stop[k].name = veridyn_get(q, "name");
        stop[k].gap = veridyn_number(veridyn_get(q, "gap"), 0), stop[k].offset = veridyn_number(veridyn_get(q, "offset"), 0);
        stop[k].stiffness = veridyn_number(veridyn_get(q, "stiffness"), 0);
        stop[k].damping = veridyn_number(veridyn_get(q, "damping"), 0);
    }
    p->stop = stop;
    VeridynLoad *load = (VeridynLoad *)veridyn_new((size_t)p->loads * sizeof *load);
    for (q = veridyn_item(veridyn_get(json, "loads")), k = 0; q; q = veridyn_next(q), ++k) {
        load[k].direction = veridyn_array(veridyn_get(q, "direction"));
        if (!veridyn_read_function(veridyn_get(q, "function"), &load[k].function)) return "a load of this kind";
    }
    p->load = load;
    return NULL;
}

static inline void veridyn_print(const char *name, const double *values, int rows, int columns) {
    printf("\"%s\": [", name);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            printf("%s%s%.17g%s", i && !j ? ", " : j ? ", " : "", columns > 1 && !j ? "[" : "", values[i * columns + j],
                   columns > 1 && j == columns - 1 ? "]" : "");
    printf("]");
}

static inline void veridyn_print_stop(const VeridynProblem *p, const VeridynResponse *r, int k) {
    double *gap = veridyn_doubles(p->outputs), *rate = veridyn_doubles(p->outputs);
    for (int i = 0; i < p->outputs; ++i) {
        gap[i] = veridyn_gap(p, k, r->displacement + i * p->n);
        for (int j = 0; j < p->n; ++j) rate[i] -= p->stop[k].normal[j] * r->velocity[i * p->n + j];
    }
    printf("%s%.*s: {", k ? ", " : "", (int)(veridyn_after(p->stop[k].name) - p->stop[k].name), p->stop[k].name);
    veridyn_print("normal_force", r->normal_force + k * p->outputs, p->outputs, 1), printf(", ");
    veridyn_print("normal_velocity", rate, p->outputs, 1), printf(", ");
    veridyn_print("gap", gap, p->outputs, 1), printf("}");
}

static inline void veridyn_answer(const char *message, VeridynSolve solve) {
    VeridynProblem p;
    VeridynResponse r;
    memset(&r, 0, sizeof r);
    r.not_applicable = veridyn_read_problem(message, &p);
    printf("{\"id\": %.0f, ", veridyn_number(veridyn_get(message, "id"), 0));
    if (!r.not_applicable) {
        r.displacement = veridyn_doubles(p.outputs * p.n), r.velocity = veridyn_doubles(p.outputs * p.n);
        r.normal_force = veridyn_doubles(p.outputs * p.stops);
        solve(&p, &r);
        for (int i = 0; i < p.outputs * p.n; ++i) if (!isfinite(r.displacement[i])) r.error = "it diverged: take a smaller step";
    }
    if (r.not_applicable || r.error) {
        printf("\"%s\": \"%s\"}\n", r.error ? "error" : "not_applicable", r.error ? r.error : r.not_applicable);
        return;
    }
    printf("\"response\": {");
    veridyn_print("time", p.times, p.outputs, 1), printf(", ");
    veridyn_print("displacement", r.displacement, p.outputs, p.n), printf(", ");
    veridyn_print("velocity", r.velocity, p.outputs, p.n), printf(", \"elements\": {");
    for (int k = 0; k < p.stops; ++k) veridyn_print_stop(&p, &r, k);
    printf("}, \"counters\": {\"steps\": %ld}}}\n", r.steps);
}

static inline char *veridyn_read_line(void) { /* of any length; NULL at the end of the input */
    size_t size = 1 << 16, length = 0;
    char *line = (char *)malloc(size);
    while (line && fgets(line + length, (int)(size - length), stdin)) {
        length += strlen(line + length);
        if (line[length - 1] == '\n') return line;
        if (length + 1 == size) line = (char *)realloc(line, size *= 2);
    }
    free(line);
    return NULL;
}

VERIDYN_CALL int veridyn_serve(const char *introduction, VeridynSolve solve) { /* the status for main to return */
    for (char *line; (line = veridyn_read_line()); free(line)) {
        const char *message = veridyn_blank(line), *command = veridyn_get(message, "command");
        if (veridyn_is(command, "start")) puts(introduction);
        else if (veridyn_is(command, "solve")) veridyn_answer(message, solve);
        else { free(line); return 0; }
        veridyn_free_all();
        fflush(stdout);
    }
    return 0;
}
#endif
