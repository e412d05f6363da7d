% Integrators of GNU Octave for initial value problems, as a program for veridyn: ode45 with its events, lsode without.
%
%     veridyn doctor --solver "cmd:octave-cli --quiet --no-init-file octave_odes.m"
%     veridyn run pendulum --solver "cmd:octave-cli --quiet --no-init-file octave_odes.m" --scheme lsode
%
% One JSON object per line comes in, one goes out; warnings go to standard error.
1;

function answer = introduction ()
  schemes = {"ode45", "lsode"};
  for scheme = schemes
    claims.(scheme{1}).tolerance = "rtol";
  end
  answer = struct ("name", "octave", "version", version (), "capabilities", {{"initial-value", "hybrid"}}, ...
    "schemes", {schemes}, "claims", claims, "refinement", "rtol", ...
    "settings", struct ("rtol", "relative tolerance; default 1e-8", "atol", "absolute one; default rtol/1000", ...
      "max_step", "largest step of ode45 (s); default none", ...
      "between", "instants between two outputs that ode45 is asked for as well; default 1"));
end

function items = texts (list)  % jsondecode makes lists of numbers arrays, and lists of texts cells
  items = list;
  if (! iscell (list))
    items = num2cell (list);
  end
  items = cellfun (@as_text, items, "UniformOutput", false);
end

function item = as_text (item)
  if (isnumeric (item))
    item = sprintf ("%.17g", item);
  end
end

function items = listed (list)  % jsondecode makes lists of alike objects an array, and others cells
  items = list;
  if (! iscell (list))
    items = num2cell (list(:)');
  end
end

function rhs = written (expressions, problem)  % a function of t and the states
  body = strjoin (expressions(:)', "; ");
  names = fieldnames (problem.parameters);
  for i = 1:numel (names)
    body = regexprep (body, ["\\<" names{i} "\\>"], ["(" as_text(problem.parameters.(names{i})) ")"]);
  end
  states = texts (problem.states);
  for i = 1:numel (states)
    body = regexprep (body, ["\\<" states{i} "\\>"], sprintf ("state_(%d)", i));
  end
  rhs = str2func (["@(t, state_) [" body "]"]);
end

function what = missing (problem, scheme)  % never answer another question in silence
  what = "";
  if (! strcmp (problem.kind, "initial value"))
    what = "a mechanical problem";
  elseif (! isempty (problem.mass) || ! isempty (problem.multipliers))
    what = "a mass matrix or constraints";
  elseif (isempty (problem.output_times))
    what = "a choice of output instants of its own";
  elseif (! isempty (problem.accumulation))
    what = "events that accumulate";
  elseif (strcmp (scheme, "lsode") && ! isempty (changes (problem, problem.mode)))
    what = "events that change the motion, for lsode";
  end
end

function mode = named (problem, name)
  modes = listed (problem.modes);
  mode = modes{find (cellfun (@(m) strcmp (m.name, name), modes), 1)};
end

function events = changes (problem, name)  % the others only mark an instant
  changes_motion = @(e) ! isempty (fieldnames (e.reset)) || ! isempty (e.mode) || e.terminal;
  events = listed (named (problem, name).events);
  events = events(cellfun (changes_motion, events));
end

function [values, terminal, directions] = guarded (t, y, guards, directions)
  values = guards (t, y)(:);
  terminal = ones (size (values));
end

function y = after (problem, event, t, y)
  next = texts (problem.states);
  for i = 1:numel (next)
    if (isfield (event.reset, next{i}))
      next{i} = as_text (event.reset.(next{i}));
    end
  end
  y = written (next, problem) (t, y)(:);
end

function [time, states, happened] = one_leg (problem, name, settings, time, start)
  rhs = written (texts (named (problem, name).rates), problem);
  happened = struct ("time", {}, "event", {}, "state", {});
  if (strcmp (settings.scheme, "lsode"))
    lsode_options ("relative tolerance", settings.rtol);
    lsode_options ("absolute tolerance", settings.atol);
    lsode_options ("step limit", 10000000);
    [states, state, message] = lsode (@(y, t) rhs (t, y), start, time);
    if (state != 2)
      error ("%s", message);
    end
    return
  end
  options = odeset ("RelTol", settings.rtol, "AbsTol", settings.atol);
  if (isfield (settings, "max_step"))
    options = odeset (options, "MaxStep", settings.max_step);
  end
  events = changes (problem, name);
  if (! isempty (events))
    guards = written (cellfun (@(e) as_text (e.guard), events, "UniformOutput", false), problem);
    directions = cellfun (@(e) e.direction, events)(:);
    options = odeset (options, "Events", @(t, y) guarded (t, y, guards, directions));
  end
  parts = settings.between + 1;
  asked = interp1 (1:numel (time), time, (parts:parts * numel (time)) / parts)(:);
  asked(1:parts:end) = time;
  if (isempty (events))
    [found, states] = ode45 (rhs, asked, start, options);
  else
    [found, states, instants, last, which] = ode45 (rhs, asked, start, options);
    if (! isempty (which))
      happened = struct ("time", instants(end), "event", events{which(end)}, "state", last(end, :)');
    end
  end
  [there, place] = ismember (time, found);
  time = time(there);
  states = states(place(there), :);
end

function [time, states, log] = integrated (problem, settings)
  y = written (texts (problem.initial), problem) (problem.start, [])(:);
  t = problem.start;
  name = problem.mode;
  outputs = problem.output_times(:);
  time = outputs(outputs <= t);
  states = repmat (y', numel (time), 1);
  log = {};
  while (any (outputs > t))
    [leg, found, happened] = one_leg (problem, name, settings, [t; outputs(outputs > t)], y);
    before = leg > t;
    if (! isempty (happened))
      before &= leg < happened.time;
    end
    time = [time; leg(before)];
    states = [states; found(before, :)];
    if (isempty (happened))
      break
    elseif (happened.time <= t || numel (log) > 100000)
      error ("events do not let the motion pass t = %.9g s", t);
    end
    t = happened.time;
    y = after (problem, happened.event, t, happened.state);
    log{end + 1} = struct ("name", happened.event.name, "time", t, "before", happened.state(:)');
    time = [time; t];
    states = [states; y'];
    if (happened.event.terminal)
      return
    elseif (! isempty (happened.event.mode))
      name = happened.event.mode;
    end
  end
  if (time(end) < outputs(end) || ! all (isfinite (states(:))))
    error ("%s gave up", settings.scheme);
  end
end

function text = rows_of (states)
  row = ["[" repmat("%.17g,", 1, columns (states) - 1) "%.17g],"];
  text = ["[" sprintf(row, states')(1:end - 1) "]"];
end

function text = events_of (log)  % instants and states before, by the name of the event
  text = "";
  names = unique (cellfun (@(e) e.name, log, "UniformOutput", false));
  members = {};
  for name = names(:)'
    own = log(cellfun (@(e) strcmp (e.name, name{1}), log));
    instants = sprintf ("%.17g,", cellfun (@(e) e.time, own))(1:end - 1);
    members{1, end + 1} = sprintf ("\"%s\": [%s]", name{1}, instants);
    members{2, end} = sprintf ("\"%s\": %s", name{1}, rows_of (cell2mat (cellfun (@(e) e.before, own(:), "UniformOutput", false))));
  end
  if (! isempty (members))
    text = sprintf (", \"events\": {%s}, \"before\": {%s}", strjoin (members(1, :), ", "), strjoin (members(2, :), ", "));
  end
end

function line = solve (message)
  settings = struct ("scheme", "ode45", "rtol", 1e-8, "between", 1);  % two instants alone would mean all steps
  for [value, name] = message.settings
    settings.(name) = value;
  end
  line = missing (message.problem, settings.scheme);
  if (! isempty (line))
    line = jsonencode (struct ("id", message.id, "not_applicable", line));
    return
  end
  if (! isfield (settings, "atol"))
    settings.atol = settings.rtol / 1000;
  end
  try
    [time, states, log] = integrated (message.problem, settings);
    line = sprintf ("{\"id\": %d, \"response\": {\"time\": [%s], \"states\": %s%s}}", message.id, ...
      sprintf ("%.17g,", time)(1:end - 1), rows_of (states), events_of (log));
  catch failure
    line = jsonencode (struct ("id", message.id, "error", failure.message));
  end
end

function line = read_line ()  % fgetl would wait for the line after
  try
    line = input ("", "s");
  catch
    line = "{\"command\": \"stop\"}";  % the input has ended
  end
end

warning ("off", "integrate_adaptive:unexpected_termination");  % at every event
sigterm_dumps_octave_core (false);
sighup_dumps_octave_core (false);
while (true)
  message = jsondecode (read_line ());
  if (strcmp (message.command, "stop"))
    break
  elseif (strcmp (message.command, "start"))
    puts ([jsonencode(introduction ()) "\n"]);
  else
    puts ([solve(message) "\n"]);
  end
  fflush (stdout);
end
