// `tilerig debug`: stops, steps through and inspects a running program, and goes back in it.
#include "emulator/Debug/Console/Console.h"
#include "emulator/Debug/Console/Views.h"
#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Tools/DebugLines.h"
#include "emulator/Tools/RunFaults.h"
#include "emulator/Tools/RunInputs.h"
#include "emulator/Tools/RunMemory.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/ErrorJson.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/MemoryBudget.h"
#include "isa/Base/Tensor/MemoryLimit.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Program/Reader.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

namespace tilerig::emulator {

namespace {

struct DebugArguments {
  std::string program, inputs, expected, script;
  std::vector<std::string> commands;
  uint64_t seed = 0, history = 0;
  std::optional<uint64_t> jitter;
  bool rows = false;
  FaultArguments faults;
};

volatile std::sig_atomic_t interrupted = 0;

// Makes the interrupt key stop a movement, and not the command.
void catchInterrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
}

Result<std::unique_ptr<Debugger>> load(const DebugArguments &arguments, Framework &framework) {
  TILERIG_TRY(Program program, readProgram(arguments.program));
  TILERIG_CHECK_OK(checkRunMemory(
      program, {.program = arguments.program, .captured = {}, .limitBytes = usualMemoryLimit(0)}));
  TILERIG_TRY(TensorMap inputs, arguments.inputs.empty() ? seededInputs(program, arguments.seed)
                                                         : readInputs(program, arguments.inputs));
  TILERIG_TRY(Defects defects, readDefects(arguments.faults, program, true));
  DebuggerOptions options{
      .run = {.jitter = arguments.jitter, .onFault = arguments.faults.onFault, .everyBeat = arguments.rows},
      .isInterrupted = [] { return interrupted != 0; }};
  if (arguments.history)
    options.historyBytes = arguments.history;
  return Debugger::load(std::move(program), std::move(defects), std::move(inputs), options, &framework);
}

// Reads the expected tensors. Returns a line that says how many of the program's tensors are compared.
Result<std::string> readExpected(const DebugArguments &arguments, Debugger &debugger) {
  const auto isKept = [&](const std::string &name) {
    const auto &tensors = debugger.program().metadata.tensors();
    const auto at = std::ranges::find(tensors, name, &proto::Tensor::name);
    return at != tensors.end() && at->role() != proto::INPUT && at->pieces_size() > 0;
  };
  TILERIG_TRY(const TensorMap tensors,
              readTensors(arguments.expected,
                          [&](const TensorHead &head) -> Result<bool> { return isKept(head.name); }));
  TILERIG_TRY(const size_t count, debugger.expect(tensors));
  const auto all = std::ranges::count_if(debugger.program().metadata.tensors(),
                                         [&](const proto::Tensor &tensor) { return isKept(tensor.name()); });
  if (count == 0)
    return invalidInput(arguments.expected,
                        "none of these tensors is one that the program computes and keeps",
                        "the names are those of the ONNX values; 'tilerig debug' lists them with the command "
                        "'tensors'");
  return fmt::format("{} of {} tensors are compared with {}", count, all, arguments.expected);
}

Json asJson(const Program &program, const Place &place) {
  if (place.host)
    return {{"stage", program.stages[place.stage].name}, {"host", true}};
  return {{"stage", program.stages[place.stage].name},
          {"tile", place.tile},
          {"engine", EnumNames<Engine>::values[static_cast<size_t>(place.engine)]},
          {"instruction", place.instruction},
          {"layer", place.layer + 1}};
}

// JSON has no infinities and NaNs.
Json numberText(double number) {
  return std::isfinite(number) ? Json(number) : Json(fmt::format("{}", number));
}

Json asJson(const Difference &difference) {
  return {{"tensor", difference.tensor->name()},
          {"position", difference.position},
          {"place", describe(difference.location)},
          {"computed", numberText(difference.computed)},
          {"expected", numberText(difference.expected)}};
}

Json asJson(const Debugger &debugger, const Stop &stop) {
  Json json = {{"reason", EnumNames<StopReason>::values[static_cast<size_t>(stop.reason)]},
               {"cycle", stop.cycle}};
  for (const StopMoment &moment : stop.moments)
    json["stop_points"].push_back(moment.stopPoint);
  const Program &program = debugger.program();
  if (stop.watch) {
    json["stop_points"].push_back(stop.watch->stopPoint);
    if (stop.watch->place)
      json["instruction"] = asJson(program, *stop.watch->place);
  }
  if (stop.difference) {
    json["difference"] = asJson(*stop.difference);
    const Writer writer = debugger.whoWrote(stop.difference->location, 0).writer;
    if (writer.place)
      json["instruction"] = asJson(program, *writer.place);
  }
  if (stop.fault)
    json["fault"] = toJson(*stop.fault, program);
  return json;
}

// A session: takes lines, and shows what the console answers.
class Session {
public:
  Session(Debugger &debugger, bool json) : debugger(debugger), console(debugger), json(json) {}

  void show(const std::string &text) {
    if (!json && !text.empty())
      std::cout << text << std::endl;
  }
  void takeAll(DebugLines &lines, bool isTyped) {
    while (!console.wantsToQuit()) {
      const std::optional<std::string> line = lines.next();
      if (!line)
        return;
      take(*line, isTyped);
    }
  }
  const Console &ownConsole() const { return console; }
  bool isOver() const { return console.wantsToQuit(); }
  ExitCode code() const { return exitCode; }
  Json document;

private:
  void take(const std::string &line, bool isTyped) {
    if (!isTyped)
      show("(tilerig) " + line);
    interrupted = 0;
    const auto text = console.execute(line);
    Json entry = {{"command", line}};
    if (text) {
      show(*text);
      entry["text"] = *text;
    } else {
      if (!json)
        std::cerr << text.error().message() << std::endl;
      entry["error"] = tilerig::asJson(text.error());
      if (exitCode == ExitCode::done && !isTyped)
        exitCode = exitCodeOf(text.error().kind);
    }
    if (console.lastStop())
      entry["stop"] = asJson(debugger, *console.lastStop());
    if (const auto &found = console.lastDifference()) {
      entry["difference"] = asJson(found->difference);
      entry["begin"] = found->begin, entry["end"] = found->end;
      if (found->place)
        entry["instruction"] = asJson(debugger.program(), *found->place);
    }
    if (json)
      document.push_back(std::move(entry));
  }

  Debugger &debugger;
  Console console;
  const bool json;
  ExitCode exitCode = ExitCode::done;
};

Result<ExitCode> debug(const DebugArguments &arguments, const CommandOptions &options, bool json) {
  TILERIG_CHECK_OK(
      refuseIdle(options, {{.option = "--seed",
                            .isIdle = !arguments.inputs.empty(),
                            .why = "this option has no effect, because --inputs gives all inputs",
                            .remedy = "remove --inputs, or --seed"}}));
  std::string script;
  if (!arguments.script.empty()) {
    TILERIG_TRY(script, readText(arguments.script));
  }
  const MemoryScope scope(std::make_shared<MemoryBudget>(usualMemoryLimit(0)));
  ReferenceFramework framework(1);
  TILERIG_TRY(const std::unique_ptr<Debugger> debugger, load(arguments, framework));
  Session session(*debugger, json);
  if (!arguments.expected.empty()) {
    TILERIG_TRY(const std::string line, readExpected(arguments, *debugger));
    session.show(line);
  }
  catchInterrupts();
  session.takeAll(*linesOf(script), false);
  session.takeAll(*linesOf(fmt::format("{}", fmt::join(arguments.commands, "\n"))), false);
  const bool isBatch = !arguments.script.empty() || !arguments.commands.empty();
  const bool isTyped = !json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (!isBatch && !session.isOver()) {
    TILERIG_CHECK_OK(debugger->start());
    session.show(whereText(*debugger, {}) + "\n'help' lists the commands, 'quit' leaves");
    session.takeAll(isTyped ? *typedLines(session.ownConsole()) : *linesOfInput(), isTyped);
  }
  if (json)
    std::cout << Json{{"program", arguments.program}, {"commands", session.document}}.dump(2) << "\n";
  return session.code();
}

} // namespace

} // namespace tilerig::emulator

int main(int argc, char **argv) {
  using namespace tilerig;
  using namespace tilerig::emulator;
  CommandLine line(command("debug"),
                   "tilerig debug model.trb -i inputs.npz\n"
                   "tilerig debug model.trb -c 'break layer conv1' -c continue -c 'print conv1[0, :2]'\n"
                   "tilerig debug model.trb -i inputs.npz --expected values.npz -c first-difference"
                   "  # and who wrote it\n"
                   "tilerig debug racy.trb --jitter 7 --script steps.txt");
  DebugArguments arguments;
  CommandOptions &options = line.options();
  options.addOption("PROGRAM", arguments.program, "program (.trb)").required();
  options.addOption("-i,--inputs", arguments.inputs,
                    "input tensors by name (.npz, .npy, .pb or a folder of them) (default: random inputs "
                    "made from --seed)");
  options.addOption("--seed", arguments.seed, "seed of the random inputs").showDefault();
  options.addOption(
      "--expected", arguments.expected,
      "stop at the first element that differs from these tensors (.npz, .npy, .pb or a folder), such as "
      "those that tilerig reference --arithmetic machine --capture all computes from the model "
      "that tilerig compile --emit onnx writes");
  options
      .addOption("-c,--command", arguments.commands,
                 "a command of the debugger; may be given several times, and the session ends after the last")
      .oneValueEach();
  options.addOption(
      "--script", arguments.script,
      "carry out the commands in this file, one on each line; lines that begin with # are comments");
  options.addFlag(
      "--rows", arguments.rows,
      "compute every row of an instruction at its own time, so that memories are exact at every cycle "
      "(default: only where instructions share bytes at the same time; others are computed when they "
      "begin)");
  options.addOption("--jitter", arguments.jitter,
                    "lengthen every latency by a random amount; the value is the seed");
  options
      .addOption("--history", arguments.history,
                 "memory for going back, such as 8GB; going back further repeats the run from its beginning "
                 "(default: 2 GiB)")
      .bytes()
      .range(int64_t{1}, INT64_MAX);
  addFaultOptions(options, arguments.faults);
  return line.run(argc, argv, [&] { return debug(arguments, options, line.json()); });
}
