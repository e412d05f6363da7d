% Integrators of GNU Octave (ode45, lsode) for smooth initial value problems, as a program for veridyn.
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
  answer = struct ("name", "octave", "version", version (), "capabilities", {{"initial-value"}}, ...
    "schemes", {schemes}, "claims", claims, "refinement", "rtol", ...
    "settings", struct ("rtol", "relative tolerance; default 1e-8", "atol", "absolute one; default rtol/1000"));
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

function what = missing (problem)  % never answer another question in silence
  what = "";
  if (! strcmp (problem.kind, "initial value"))
    what = "a mechanical problem";
  elseif (! isempty (problem.mass) || ! isempty (problem.multipliers))
    what = "a mass matrix or constraints";
  elseif (numel (problem.modes) > 1 || ! all (arrayfun (@is_marker, problem.modes.events)))
    what = "events that change the motion";
  elseif (isempty (problem.output_times))
    what = "a choice of output instants of its own";
  end
end

function marks = is_marker (event)
  if (iscell (event))
    event = event{1};
  end
  marks = isempty (fieldnames (event.reset)) && isempty (event.mode) && ! event.terminal;
end

function [time, states] = integrated (problem, settings)
  rhs = written (texts (problem.modes.rates), problem);
  start = written (texts (problem.initial), problem) (problem.start, []);
  time = problem.output_times(:);
  begins = time(1) > problem.start;  % the start is no output
  if (begins)
    time = [problem.start; time];
  end
  if (strcmp (settings.scheme, "lsode"))
    lsode_options ("relative tolerance", settings.rtol);
    lsode_options ("absolute tolerance", settings.atol);
    lsode_options ("step limit", 10000000);
    [states, state, message] = lsode (@(y, t) rhs (t, y), start, time);
    if (state != 2)
      error ("%s", message);
    end
  else
    options = odeset ("RelTol", settings.rtol, "AbsTol", settings.atol);
    [~, states] = ode45 (rhs, time, start, options);
  end
  time = time(1 + begins:end);
  states = states(1 + begins:end, :);
  if (rows (states) != numel (time) || ! all (isfinite (states(:))))
    error ("%s gave up", settings.scheme);
  end
end

function line = solve (message)
  line = missing (message.problem);
  if (! isempty (line))
    line = jsonencode (struct ("id", message.id, "not_applicable", line));
    return
  end
  settings = struct ("scheme", "ode45", "rtol", 1e-8);
  for [value, name] = message.settings
    settings.(name) = value;
  end
  if (! isfield (settings, "atol"))
    settings.atol = settings.rtol / 1000;
  end
  try
    [time, states] = integrated (message.problem, settings);
    row = ["[" repmat("%.17g,", 1, columns (states) - 1) "%.17g],"];
    line = sprintf ("{\"id\": %d, \"response\": {\"time\": [%s], \"states\": [%s]}}", message.id, ...
      sprintf ("%.17g,", time)(1:end - 1), sprintf (row, states')(1:end - 1));
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
