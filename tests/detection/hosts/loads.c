/* ---- loads: what a user adds to newmark.c; numbers may be texts such as "3/4" or "2*pi" ---- */

static double pull; /* the load at the end of the step */

static double constant(const char *p) { /* a product of numbers and pi */
    double x = 1;
    p += *p == '"';
    for (char sign = '*'; sign == '*' || sign == '/'; sign = *p++) {
        int is_pi = !strncmp(p, "pi", 2);
        double factor = is_pi ? acos(-1.0) : strtod(p, (char **)&p);
        p += is_pi ? 2 : 0;
        x = sign == '*' ? x * factor : x / factor;
    }
    return x;
}

static double at(const char *function, double t) {
    const char *kind = get(function, "kind");
    double x = 0, order = number(get(function, "order"), 0);
    if (!strncmp(kind, "\"harmonic\"", 10)) {
        double w = constant(get(function, "omega"));
        double phase = w * t + constant(get(function, "phase")) + order * acos(0.0);
        return constant(get(function, "amplitude")) * pow(w, order) * sin(phase);
    }
    if (!strncmp(kind, "\"sum\"", 5)) {
        for (const char *p = item(get(function, "summands")); p; p = next(p)) x += at(p, t);
        return x;
    }
    if (!strncmp(kind, "\"windowed\"", 10))
        return t < constant(get(function, "start")) || t > constant(get(function, "end")) || order != 0
                   ? 0 : at(get(function, "function"), t);
    const char *row = item(get(function, "coefficients")), *last = NULL;
    double since = 0;
    for (const char *p = item(get(function, "breaks")); p && constant(p) <= t; p = next(p), row = next(row))
        since = t - constant(p), last = row;
    double power = 1;
    for (const char *p = last ? item(last) : NULL; p; p = next(p), power *= since) x += constant(p) * power;
    return x;
}

static double load(const char *loads, double t) {
    double f = 0;
    for (const char *p = item(loads); p; p = next(p))
        f += first(get(p, "direction")) * at(get(p, "function"), t);
    return f;
}

/* ---- mechanics ---- */
