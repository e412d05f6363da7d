/* Classical Runge-Kutta of order 4 from event to event, for ordinary and hybrid initial value problems,
 * as a program for veridyn. Expressions are evaluated where they stand, by recursive descent.
 *
 *     cc -std=c99 -O2 -o hybrid hybrid.c -lm
 *     veridyn doctor --solver cmd:./hybrid
 *     veridyn run bouncing_ball --solver cmd:./hybrid
 *
 * One JSON object per line comes in, one goes out; logs would go to standard error.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16           /* states, and events of a mode */
#define MOST_NUMBERS 64   /* parameters */
#define MOST_EVENTS 10000 /* instants of one solution */
#define ACCUMULATED 1e-8  /* of the span: events of a name that are so near to each other have reached their limit */

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

static const char *value(const char *p) { return blank(blank(after_text(p)) + 1); } /* of an entry of an object */

static int same(const char *p, const char *q) { /* whether two texts agree */
    size_t n = after_text(p) - p;
    return strncmp(p, q, n) == 0;
}

static const char *find(const char *object, const char *text) { /* the value of a key given as JSON, or NULL */
    for (const char *p = object && *object == '{' ? item(object) : NULL; p; p = next(value(p)))
        if (same(p, text)) return value(p);
    return NULL;
}

static const char *get(const char *object, const char *key) {
    char text[32];
    sprintf(text, "\"%.29s\"", key);
    return find(object, text);
}

static const char *at(const char *array, int i) {
    const char *p = item(array);
    while (i--) p = next(p);
    return p;
}

static int count(const char *array) {
    int n = 0;
    if (array && *array == '[') for (const char *p = item(array); p; p = next(p)) ++n;
    return n;
}

/* ---- the problem, and its expressions ---- */

typedef struct {
    const char *problem, *name[MOST], *letter[MOST_NUMBERS];
    double number[MOST_NUMBERS];
    int states, numbers;
} Problem;
typedef struct { const Problem *of; double t; const double *y; const char *p; } Reader; /* reads one text */

static double sum(Reader *r);

static double named(Reader *r) { /* a function, a constant, or the value of a name */
    static const struct { const char *name; double (*call)(double); } library[] = {
        {"sqrt", sqrt}, {"exp", exp}, {"log", log}, {"sin", sin}, {"cos", cos}, {"tan", tan}, {"sinh", sinh},
        {"cosh", cosh}, {"tanh", tanh}, {"asin", asin}, {"acos", acos}, {"atan", atan}};
    const char *name = r->p;
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    r->p = name + n;
    if (*r->p == '(') {
        ++r->p;
        double x = sum(r);
        r->p = blank(r->p) + 1;
        for (size_t i = 0; i < sizeof library / sizeof *library; ++i)
            if (strlen(library[i].name) == n && !strncmp(library[i].name, name, n)) return library[i].call(x);
    }
    for (int i = 0; i < r->of->states; ++i)
        if (!strncmp(r->of->name[i] + 1, name, n) && r->of->name[i][n + 1] == '"') return r->y[i];
    for (int i = 0; i < r->of->numbers; ++i)
        if (!strncmp(r->of->letter[i] + 1, name, n) && r->of->letter[i][n + 1] == '"') return r->of->number[i];
    return n == 1 && *name == 't' ? r->t : n == 2 && !strncmp(name, "pi", 2) ? acos(-1.0) : NAN;
}

static double atom(Reader *r) {
    r->p = blank(r->p);
    if (strchr("0123456789.", *r->p)) return strtod(r->p, (char **)&r->p);
    if (*r->p != '(') return named(r);
    ++r->p;
    double x = sum(r);
    r->p = blank(r->p) + 1;
    return x;
}

static double raised(Reader *r) { /* signed: a power binds closer than the sign before it, not than that after it */
    r->p = blank(r->p);
    if (*r->p == '-') return ++r->p, -raised(r);
    if (*r->p == '+') return ++r->p, raised(r);
    double x = atom(r);
    r->p = blank(r->p);
    if (strncmp(r->p, "**", 2)) return x;
    r->p += 2;
    return pow(x, raised(r));
}

static double product(Reader *r) {
    double x = raised(r);
    for (r->p = blank(r->p); (*r->p == '*' && r->p[1] != '*') || *r->p == '/'; r->p = blank(r->p))
        x = *r->p++ == '*' ? x * raised(r) : x / raised(r);
    return x;
}

static double sum(Reader *r) {
    double x = product(r);
    for (r->p = blank(r->p); *r->p == '+' || *r->p == '-'; r->p = blank(r->p))
        x = *r->p++ == '+' ? x + product(r) : x - product(r);
    return x;
}

static double evaluate(const Problem *q, const char *text, double t, const double *y) { /* a text, or a plain number */
    Reader r = {q, t, y, *text == '"' ? text + 1 : text};
    return sum(&r);
}

static Problem read_problem(const char *problem) {
    Problem q = {.problem = problem};
    for (const char *p = item(get(problem, "states")); p; p = next(p)) q.name[q.states++] = p;
    for (const char *p = item(get(problem, "parameters")); p; p = next(value(p)), ++q.numbers) {
        q.letter[q.numbers] = p;
        q.number[q.numbers] = evaluate(&q, value(p), 0, NULL);
    }
    return q;
}

/* ---- from event to event ---- */

static const char *mode_of(const Problem *q, const char *name) {
    const char *p = item(get(q->problem, "modes"));
    while (!same(get(p, "name"), name)) p = next(p);
    return p;
}

static int is_marker(const char *e) { /* an event that changes nothing */
    return !item(get(e, "reset")) && get(e, "mode")[1] == '"' && *get(e, "terminal") == 'f';
}

static void rates(const Problem *q, const char *mode, double t, const double *y, double *out) {
    const char *p = item(get(mode, "rates"));
    for (int i = 0; i < q->states; ++i, p = next(p)) out[i] = evaluate(q, p, t, y);
}

static void guards(const Problem *q, const char *mode, double t, const double *y, double *out) { /* fall at events */
    for (const char *p = item(get(mode, "events")); p; p = next(p), ++out)
        *out = is_marker(p) ? 1.0 : -strtod(get(p, "direction"), NULL) * evaluate(q, get(p, "guard"), t, y);
}

static void step(const Problem *q, const char *mode, double t, const double *y, double h, double *out) {
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[MOST] = {0}, z[MOST];
    memcpy(out, y, q->states * sizeof *y);
    for (int stage = 0; stage < 4; ++stage) {
        for (int i = 0; i < q->states; ++i) z[i] = y[i] + part[stage] * h * k[i];
        rates(q, mode, t + part[stage] * h, z, k);
        for (int i = 0; i < q->states; ++i) out[i] += h / 6 * weight[stage] * k[i];
    }
}

static int fallen(const Problem *q, const char *mode, double t, const double *y, const double *armed) {
    double now[MOST];
    guards(q, mode, t, y, now);
    for (int i = 0, n = count(get(mode, "events")); i < n; ++i)
        if (armed[i] >= 0 && now[i] < 0) return i;
    return -1;
}

/* Advance y by h; a step in which a guard falls below zero ends there. Returns the event, -1 if there is none. */
static int advance(const Problem *q, const char *mode, double t, double *y, double *h) {
    double armed[MOST], z[MOST], early = 0, late = *h;
    guards(q, mode, t, y, armed);
    step(q, mode, t, y, late, z);
    int event = fallen(q, mode, t + late, z, armed);
    for (int i = 0; event >= 0 && i < 60; ++i) {
        double middle = (early + late) / 2;
        step(q, mode, t, y, middle, z);
        *(fallen(q, mode, t + middle, z, armed) < 0 ? &early : &late) = middle;
    }
    step(q, mode, t, y, *h = late, z);
    if (event >= 0) event = fallen(q, mode, t + late, z, armed);
    memcpy(y, z, q->states * sizeof *y);
    return event;
}

static void jump(const Problem *q, const char *reset, double t, double *y) {
    double z[MOST];
    for (int i = 0; i < q->states; ++i) {
        const char *text = find(reset, q->name[i]);
        z[i] = text ? evaluate(q, text, t, y) : y[i];
    }
    memcpy(y, z, q->states * sizeof *y);
}

/* ---- answers ---- */

typedef struct { double t, y[MOST]; const char *name; } Row; /* a sample and its mode, or an event and what was before */

static void print_times(const char *key, const Row *row, int n, const char *only) {
    const char *comma = "";
    printf("%s: [", key);
    for (const Row *r = row; r < row + n; ++r)
        if (!only || same(r->name, only)) printf("%s%.17g", comma, r->t), comma = ",";
    printf("]");
}

static void print_states(const char *key, const Row *row, int n, const char *only, int states) {
    const char *comma = "";
    printf("%s: [", key);
    for (const Row *r = row; r < row + n; ++r) {
        if (only && !same(r->name, only)) continue;
        for (int i = 0; i < states; ++i) printf("%s%.17g", i ? "," : *comma ? ",[" : "[", r->y[i]);
        printf("]"), comma = ",";
    }
    printf("]");
}

static const char *missing(const char *problem) { /* never answer another question in silence */
    if (strncmp(get(problem, "kind"), "\"initial value\"", 15)) return "a mechanical problem";
    if (*get(problem, "mass") != 'n' || count(get(problem, "multipliers"))) return "a mass matrix or constraints";
    if (count(get(problem, "states")) > MOST) return "so many states";
    for (const char *m = item(get(problem, "modes")); m; m = next(m)) {
        if (count(get(m, "events")) > MOST) return "so many events";
        for (const char *e = item(get(m, "events")); e; e = next(e))
            if (!is_marker(e) && strtod(get(e, "direction"), NULL) == 0) return "events in either direction";
    }
    return count(get(problem, "output_times")) ? NULL : "a choice of output instants of its own";
}

static void print_events(const Problem *q, const Row *happened, int n) {
    for (int part = 0; part < 2; ++part) {
        const char *comma = "";
        printf(part ? "}, \"before\": {" : ", \"events\": {");
        for (const char *m = item(get(q->problem, "modes")); m; m = next(m))
            for (const char *e = item(get(m, "events")); e; e = next(e)) {
                char key[80];
                if (is_marker(e)) continue;
                sprintf(key, "%s%.*s", comma, (int)fmin(70, after(get(e, "name")) - get(e, "name")), get(e, "name"));
                if (part) print_states(key, happened, n, get(e, "name"), q->states);
                else print_times(key, happened, n, get(e, "name"));
                comma = ", ";
            }
    }
    printf("}");
}

static Row row(const Problem *q, double t, const double *y, const char *name) {
    Row r = {.t = t, .name = name};
    memcpy(r.y, y, q->states * sizeof *y);
    return r;
}

static int happen(const Problem *q, const char **mode, int event, Row *happened, int n, double t, double *y) {
    const char *e = at(get(*mode, "events"), event), *limit = get(q->problem, "accumulation"), *to = get(e, "mode");
    double last = -INFINITY, span = strtod(get(q->problem, "end"), NULL) - strtod(get(q->problem, "start"), NULL);
    for (int i = 0; i < n; ++i) if (same(happened[i].name, get(e, "name"))) last = happened[i].t;
    happened[n] = row(q, t, y, get(e, "name"));
    int over = *limit == '{' && same(get(limit, "event"), get(e, "name")) && t - last < ACCUMULATED * span;
    jump(q, get(over ? limit : e, "reset"), t, y);
    if (over) to = get(limit, "mode");
    if (to[1] != '"') *mode = mode_of(q, to);
    return *get(e, "terminal") == 't';
}

static void solve(const char *question) {
    const char *problem = get(question, "problem"), *step_size = get(get(question, "settings"), "step");
    int id = (int)strtod(get(question, "id"), NULL);
    if (missing(problem)) { printf("{\"id\": %d, \"not_applicable\": \"%s\"}\n", id, missing(problem)); return; }

    Problem q = read_problem(problem);
    int outputs = count(get(problem, "output_times")), n = 0, events = 0, ended = 0, finite = 1;
    Row *sample = malloc((outputs + MOST_EVENTS) * sizeof *sample), *happened = malloc(MOST_EVENTS * sizeof *happened);
    const char *mode = mode_of(&q, get(problem, "mode"));
    double t = strtod(get(problem, "start"), NULL), y[MOST] = {0};
    double largest = step_size ? strtod(step_size, NULL) : (strtod(get(problem, "end"), NULL) - t) / 10000;
    long steps = 0;
    for (int i = 0; i < q.states; ++i) y[i] = evaluate(&q, at(get(problem, "initial"), i), t, NULL);
    const char *p = item(get(problem, "output_times"));
    double end = strtod(at(get(problem, "output_times"), outputs - 1), NULL), z[MOST];
    if (strtod(p, NULL) <= t) sample[n++] = row(&q, t, y, get(mode, "name")), p = next(p);
    for (; t < end && !ended && events < MOST_EVENTS; ++steps) {
        double before = t, taken = fmin(largest, end - t);
        memcpy(z, y, sizeof y);
        int event = advance(&q, mode, t, z, &taken);
        t = taken == end - t ? end : t + taken;
        for (; p && strtod(p, NULL) < t; p = next(p), ++n) { /* outputs do not touch the steps: each is one of its own */
            sample[n] = row(&q, strtod(p, NULL), y, get(mode, "name"));
            step(&q, mode, before, y, sample[n].t - before, sample[n].y);
        }
        memcpy(y, z, sizeof y);
        if (event >= 0) ended = happen(&q, &mode, event, happened, events++, t, y);
        /* every event has a sample, with what begins there */
        if (event >= 0 || (p && strtod(p, NULL) == t)) sample[n++] = row(&q, t, y, get(mode, "name"));
        if (p && strtod(p, NULL) == t) p = next(p);
    }
    for (int i = 0; i < n * q.states; ++i) finite = finite && isfinite(sample[i / q.states].y[i % q.states]);
    if (!finite || events == MOST_EVENTS)
        printf("{\"id\": %d, \"error\": \"%s\"}\n", id, finite ? "too many events" : "diverged: the step is too long");
    else {
        printf("{\"id\": %d, \"response\": {", id);
        print_times("\"time\"", sample, n, NULL);
        print_states(", \"states\"", sample, n, NULL, q.states);
        printf(", \"modes\": [");
        for (int i = 0; i < n; ++i) printf("%s%.*s", i ? "," : "", (int)(after(sample[i].name) - sample[i].name), sample[i].name);
        printf("]");
        print_events(&q, happened, events);
        printf(", \"counters\": {\"steps\": %ld}}}\n", steps);
    }
    free(sample), free(happened);
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
            puts("{\"name\": \"hybrid-c\", \"version\": \"1.0\", \"capabilities\": [\"initial-value\", \"hybrid\", \"zeno\"], "
                 "\"settings\": {\"step\": \"largest step (s); default 1/10000 of the span\"}, "
                 "\"claims\": {\"order\": 4}, \"refinement\": \"step\"}");
        else if (!strncmp(command, "\"solve\"", 7))
            solve(blank(line));
        else
            return 0;
        fflush(stdout);
    }
    return 0;
}
