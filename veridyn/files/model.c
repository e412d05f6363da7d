/* Model exchange unit, FMI 2.0 or 3.0 (-DFMI_VERSION=2 or 3), of one initial value problem.

   equations.h is generated from the problem: sizes, rates, guards and their derivatives, resets, initial values.
   Event indicators: z = side * guard, side the side of zero on which the guard was last. An event happens where an
   indicator falls through zero in the direction that the problem states. After an event the guard may lie a rounding
   error beyond zero while it moves back: its side is then read from its derivatives, the indicator is negative, and
   its rise through zero is an event that changes nothing. Where indicators rise no event happens. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "equations.h"

#define AT_ONCE 100        /* events at one instant */
#define AT_ZERO 1e-9       /* of the span: a guard that reaches its zero within that time is at zero */
#define ACCUMULATED 1e-8   /* of the span: events of a name so near to each other have reached their limit */
#define EXPORT __attribute__((visibility("default")))

enum { OK = 0, ERROR = 3 };

typedef struct {
  double t, y[NX], p[NP + 1], count[NE + 1], last[NE + 1], side[NG + 1];
  int mode, ended;
} Model;

/* ---- the problem */

static double sign_of(double value) { return (value > 0) - (value < 0); }

/* Sign of the first derivative of a guard that is not zero: where it moves. */
static double moves(const Model *m, int guard) {
  double rows[NG + 1];
  for (int order = 1; order < ORDERS; order++) {
    guard_rates(m->mode, order, m->t, m->y, m->p, rows);
    if (rows[guard] != 0) return sign_of(rows[guard]);
  }
  return 0;
}

/* Read on which side of zero the guards are; `fired` passed zero just now, by no more than `beyond`. After an event a
   guard at zero that moves in its direction has yet to pass: its event happens at once. */
static void read_sides(Model *m, int after_event, int fired, double beyond) {
  double value[NG + 1], rate[NG + 1];
  guard_rates(m->mode, 0, m->t, m->y, m->p, value);
  guard_rates(m->mode, 1, m->t, m->y, m->p, rate);
  for (int i = 0; i < guards_in[m->mode]; i++) {
    double near_zero = AT_ZERO * SPAN * fabs(rate[i]), side = sign_of(value[i]);
    if (i == fired) near_zero = fmax(near_zero, beyond);
    if (fabs(value[i]) <= near_zero) {
      side = moves(m, i);
      if (after_event && side == direction[m->mode][i]) side = -side;
    }
    m->side[i] = side == 0 ? 1 : side;
  }
}

static void start(Model *m) {
  initial(m->t, m->y, m->p, m->y);
  m->mode = FIRST_MODE;
  m->ended = 0;
  memset(m->count, 0, sizeof m->count);
  memset(m->last, 0, sizeof m->last);
  read_sides(m, 0, -1, 0);
}

static void happen(Model *m, int guard, double beyond) {
  double after[NX];
  int event = event_of[m->mode][guard], to = mode_after[m->mode][guard];
  int accumulates = event == ACCUMULATES && m->count[event] > 0 && m->t - m->last[event] < ACCUMULATED * SPAN;
  m->count[event] += 1;
  m->last[event] = m->t;
  m->ended = m->ended || ends[m->mode][guard];
  if (accumulates) accumulated(m->t, m->y, m->p, after);
  else reset(100 * m->mode + guard, m->t, m->y, m->p, after);
  to = accumulates ? MODE_OF_LIMIT : to;
  if (to == m->mode && !memcmp(m->y, after, sizeof after)) {
    m->side[guard] = -m->side[guard]; /* only an instant was marked */
    return;
  }
  memcpy(m->y, after, sizeof after);
  guard = to == m->mode ? guard : -1;
  m->mode = to;
  read_sides(m, 1, guard, beyond);
}

/* Return the first guard that has passed zero and moves away from it, -1 if none has. */
static int passed(const Model *m, double *value) {
  guard_rates(m->mode, 0, m->t, m->y, m->p, value);
  for (int i = 0; i < guards_in[m->mode] && !m->ended; i++)
    if (m->side[i] * value[i] <= 0 && m->side[i] * moves(m, i) < 0) return i;
  return -1;
}

/* Let everything happen that happens now; return whether anything did, -1 if it does not end. */
static int let_happen(Model *m) {
  double value[NG + 1];
  for (int round = 0; round < AT_ONCE; round++) {
    int i = passed(m, value);
    if (i < 0) return round > 0;
    if (direction[m->mode][i] == 0 || direction[m->mode][i] == -m->side[i]) happen(m, i, fabs(value[i]));
    else m->side[i] = -m->side[i];
  }
  return -1;
}

/* After a step: has the importer stepped over an event? Then it is late, and happens now. */
static int overlooked(const Model *m) {
  double value[NG + 1];
  return passed(m, value) >= 0;
}

/* ---- variables: 0 time; states; their rates; parameters; counts and last instants of events; indicators */

#define RATES (1 + NX)
#define PARAMETERS (RATES + NX)
#define COUNTS (PARAMETERS + NP)
#define INSTANTS (COUNTS + NE)
#define INDICATORS (INSTANTS + NE)
#define VARIABLES (INDICATORS + NG)

static void indicators(const Model *m, double *z) {
  double value[NG + 1];
  guard_rates(m->mode, 0, m->t, m->y, m->p, value);
  for (int i = 0; i < NG; i++) z[i] = i < guards_in[m->mode] ? m->side[i] * value[i] : 1;
}

static int get(const Model *m, const unsigned *which, size_t n, double *out) {
  double rate[NX], z[NG + 1];
  rates(m->mode, m->t, m->y, m->p, rate);
  indicators(m, z);
  for (size_t k = 0; k < n; k++) {
    unsigned i = which[k];
    if (i == 0) out[k] = m->t;
    else if (i < RATES) out[k] = m->y[i - 1];
    else if (i < PARAMETERS) out[k] = rate[i - RATES];
    else if (i < COUNTS) out[k] = m->p[i - PARAMETERS];
    else if (i < INSTANTS) out[k] = m->count[i - COUNTS];
    else if (i < INDICATORS) out[k] = m->last[i - INSTANTS];
    else if (i < VARIABLES) out[k] = z[i - INDICATORS];
    else return ERROR;
  }
  return OK;
}

static int set(Model *m, const unsigned *which, size_t n, const double *values) {
  for (size_t k = 0; k < n; k++) {
    if (which[k] < PARAMETERS || which[k] >= COUNTS) return ERROR;
    m->p[which[k] - PARAMETERS] = values[k];
  }
  start(m);
  return OK;
}

static Model *create(const char *token) {
  Model *m = strcmp(token, TOKEN) ? NULL : calloc(1, sizeof(Model));
  if (m) {
    memcpy(m->p, DEFAULTS, sizeof DEFAULTS);
    m->t = START;
    start(m);
  }
  return m;
}

static int is_finite(const double *values, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(values[i])) return 0;
  return 1;
}

/* ---- FMI: what both versions share; F(Name) is fmi2Name or fmi3Name */

#define GLUE(a, b) a##b
#if FMI_VERSION == 2
#define F(name) GLUE(fmi2, name)
typedef int Flag;
#else
#define F(name) GLUE(fmi3, name)
typedef unsigned char Flag; /* bool */
#endif
#define NOTHING(name, status) EXPORT int F(name)(void) { return status; }

EXPORT int F(EnterEventMode)(Model *m) { return m ? OK : ERROR; }
EXPORT int F(EnterContinuousTimeMode)(Model *m) { return m ? OK : ERROR; }
EXPORT int F(ExitInitializationMode)(Model *m) { return m ? OK : ERROR; }
EXPORT int F(Terminate)(Model *m) { return m ? OK : ERROR; }
EXPORT void F(FreeInstance)(Model *m) { free(m); }
EXPORT int F(SetDebugLogging)(Model *m, Flag on, size_t n, const char *const names[]) {
  (void)on, (void)n, (void)names;
  return m ? OK : ERROR;
}
EXPORT int F(Reset)(Model *m) {
  memcpy(m->p, DEFAULTS, sizeof DEFAULTS);
  m->t = START;
  start(m);
  return OK;
}
EXPORT int F(SetTime)(Model *m, double t) {
  m->t = t;
  return OK;
}
EXPORT int F(SetContinuousStates)(Model *m, const double *y, size_t n) {
  if (n != NX) return ERROR;
  memcpy(m->y, y, sizeof m->y);
  return OK;
}
EXPORT int F(GetContinuousStates)(Model *m, double *y, size_t n) {
  if (n != NX) return ERROR;
  memcpy(y, m->y, sizeof m->y);
  return OK;
}
EXPORT int F(GetNominalsOfContinuousStates)(Model *m, double *y, size_t n) {
  (void)m;
  if (n != NX) return ERROR;
  memcpy(y, NOMINALS, sizeof NOMINALS);
  return OK;
}
EXPORT int F(GetEventIndicators)(Model *m, double *z, size_t n) {
  if (n != NG) return ERROR;
  indicators(m, z);
  return is_finite(z, NG) ? OK : ERROR;
}
static int derivatives(Model *m, double *rate, size_t n) {
  if (n != NX) return ERROR;
  rates(m->mode, m->t, m->y, m->p, rate);
  return is_finite(rate, NX) ? OK : ERROR;
}
static int discrete(Model *m, Flag *again, Flag *end, Flag *nominals, Flag *values, Flag *next, double *instant) {
  int changed = let_happen(m);
  *again = *nominals = *next = 0;
  *end = m->ended;
  *values = changed != 0;
  *instant = 0;
  return changed < 0 ? ERROR : OK;
}

#if FMI_VERSION == 2
EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT Model *fmi2Instantiate(const char *name, int type, const char *token, const char *resources,
                              const void *callbacks, int visible, int logging) {
  (void)name, (void)resources, (void)callbacks, (void)visible, (void)logging;
  return type == 0 ? create(token) : NULL; /* 0: model exchange */
}
EXPORT int fmi2SetupExperiment(Model *m, int tolerant, double tolerance, double from, int bounded, double to) {
  (void)tolerant, (void)tolerance, (void)bounded, (void)to;
  m->t = from;
  start(m);
  return OK;
}
EXPORT int fmi2EnterInitializationMode(Model *m) { return m ? OK : ERROR; }
EXPORT int fmi2GetReal(Model *m, const unsigned *which, size_t n, double *out) { return get(m, which, n, out); }
EXPORT int fmi2SetReal(Model *m, const unsigned *which, size_t n, const double *v) { return set(m, which, n, v); }
EXPORT int fmi2GetDerivatives(Model *m, double *rate, size_t n) { return derivatives(m, rate, n); }
EXPORT int fmi2CompletedIntegratorStep(Model *m, int keeps, int *event, int *end) {
  (void)keeps;
  *event = overlooked(m);
  *end = m->ended;
  return OK;
}
typedef struct {
  int again, end, nominals, values, next;
  double instant;
} EventInfo;
EXPORT int fmi2NewDiscreteStates(Model *m, EventInfo *e) {
  return discrete(m, &e->again, &e->end, &e->nominals, &e->values, &e->next, &e->instant);
}
NOTHING(GetInteger, ERROR) NOTHING(GetBoolean, ERROR) NOTHING(GetString, ERROR) NOTHING(SetInteger, ERROR)
NOTHING(SetBoolean, ERROR) NOTHING(SetString, ERROR) NOTHING(GetFMUstate, ERROR) NOTHING(SetFMUstate, ERROR)
NOTHING(FreeFMUstate, ERROR) NOTHING(SerializedFMUstateSize, ERROR) NOTHING(SerializeFMUstate, ERROR)
NOTHING(DeSerializeFMUstate, ERROR) NOTHING(GetDirectionalDerivative, ERROR)
#else
EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT Model *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, Flag visible,
                                           Flag logging, void *environment, void *log) {
  (void)name, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
  return create(token);
}
EXPORT int fmi3EnterInitializationMode(Model *m, Flag tolerant, double tolerance, double from, Flag bounded,
                                       double to) {
  (void)tolerant, (void)tolerance, (void)bounded, (void)to;
  m->t = from;
  start(m);
  return OK;
}
EXPORT int fmi3GetFloat64(Model *m, const unsigned *which, size_t n, double *out, size_t values) {
  return n == values ? get(m, which, n, out) : ERROR;
}
EXPORT int fmi3SetFloat64(Model *m, const unsigned *which, size_t n, const double *v, size_t values) {
  return n == values ? set(m, which, n, v) : ERROR;
}
EXPORT int fmi3GetContinuousStateDerivatives(Model *m, double *rate, size_t n) { return derivatives(m, rate, n); }
EXPORT int fmi3CompletedIntegratorStep(Model *m, Flag keeps, Flag *event, Flag *end) {
  (void)keeps;
  *event = overlooked(m);
  *end = m->ended;
  return OK;
}
EXPORT int fmi3UpdateDiscreteStates(Model *m, Flag *again, Flag *end, Flag *nominals, Flag *values, Flag *next,
                                    double *instant) {
  return discrete(m, again, end, nominals, values, next, instant);
}
EXPORT int fmi3EvaluateDiscreteStates(Model *m) { return m ? OK : ERROR; }
EXPORT int fmi3GetNumberOfEventIndicators(Model *m, size_t *n) {
  *n = NG;
  return m ? OK : ERROR;
}
EXPORT int fmi3GetNumberOfContinuousStates(Model *m, size_t *n) {
  *n = NX;
  return m ? OK : ERROR;
}
EXPORT void *fmi3InstantiateCoSimulation(void) { return NULL; }
EXPORT void *fmi3InstantiateScheduledExecution(void) { return NULL; }
NOTHING(GetFloat32, ERROR) NOTHING(GetInt8, ERROR) NOTHING(GetUInt8, ERROR) NOTHING(GetInt16, ERROR)
NOTHING(GetUInt16, ERROR) NOTHING(GetInt32, ERROR) NOTHING(GetUInt32, ERROR) NOTHING(GetInt64, ERROR)
NOTHING(GetUInt64, ERROR) NOTHING(GetBoolean, ERROR) NOTHING(GetString, ERROR) NOTHING(GetBinary, ERROR)
NOTHING(GetClock, ERROR) NOTHING(SetFloat32, ERROR) NOTHING(SetInt8, ERROR) NOTHING(SetUInt8, ERROR)
NOTHING(SetInt16, ERROR) NOTHING(SetUInt16, ERROR) NOTHING(SetInt32, ERROR) NOTHING(SetUInt32, ERROR)
NOTHING(SetInt64, ERROR) NOTHING(SetUInt64, ERROR) NOTHING(SetBoolean, ERROR) NOTHING(SetString, ERROR)
NOTHING(SetBinary, ERROR) NOTHING(SetClock, ERROR) NOTHING(GetNumberOfVariableDependencies, ERROR)
NOTHING(GetVariableDependencies, ERROR) NOTHING(GetFMUState, ERROR) NOTHING(SetFMUState, ERROR)
NOTHING(FreeFMUState, ERROR) NOTHING(SerializedFMUStateSize, ERROR) NOTHING(SerializeFMUState, ERROR)
NOTHING(DeserializeFMUState, ERROR) NOTHING(GetDirectionalDerivative, ERROR) NOTHING(GetAdjointDerivative, ERROR)
NOTHING(EnterConfigurationMode, ERROR) NOTHING(ExitConfigurationMode, ERROR) NOTHING(GetIntervalDecimal, ERROR)
NOTHING(GetIntervalFraction, ERROR) NOTHING(GetShiftDecimal, ERROR) NOTHING(GetShiftFraction, ERROR)
NOTHING(SetIntervalDecimal, ERROR) NOTHING(SetIntervalFraction, ERROR) NOTHING(SetShiftDecimal, ERROR)
NOTHING(SetShiftFraction, ERROR) NOTHING(EnterStepMode, ERROR) NOTHING(GetOutputDerivatives, ERROR)
NOTHING(DoStep, ERROR) NOTHING(ActivateModelPartition, ERROR)
#endif
