// `tilerig debug`: stops, steps through and inspects a running program, and goes back in it.
#include "emulator/Debug/Console/Views.h"
#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Tools/DebugAdapter.h"
#include "emulator/Tools/DebugProgram.h"
#include "emulator/Tools/DebugSession.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/MemoryBudget.h"
#include "isa/Base/Tensor/MemoryLimit.h"

#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

namespace tilerig::emulator {

namespace {

struct SessionArguments {
  std::string script;
  std::vector<std::string> commands;
  bool isAdapter = false;
  std::optional<unsigned> port;
};

Status checkTogether(const DebugArguments &arguments, const SessionArguments &session,
                     const CommandOptions &options, bool json) {
  const bool isAdapter = session.isAdapter;
  for (const char *option : {"--command", "--script"})
    TILERIG_CHECK_OK(refuseIdle(
        options, {{option, isAdapter, "this option has no effect, because the editor gives the commands",
                   "remove --dap, or the option that has no effect with it"}}));
  if (isAdapter && json)
    return usageError("--json", "this option has no effect with --dap, whose messages are JSON in any case",
                      "remove it");
  TILERIG_CHECK_OK(
      refuseIdle(options, {{.option = "--seed",
                            .isIdle = !arguments.inputs.empty(),
                            .why = "this option has no effect, because --inputs gives all inputs",
                            .remedy = "remove --inputs, or --seed"},
                           {.option = "--dap-port",
                            .isIdle = !isAdapter,
                            .why = "this option has an effect only with --dap",
                            .remedy = "add --dap"}}));
  if (arguments.program.empty() && !isAdapter)
    return usageError("PROGRAM", "this is missing", "name a program (.trb)");
  return success();
}

// The arguments of the request `launch` take precedence over those of the command line.
DebugArguments launched(DebugArguments arguments, const Json &given) {
  const auto take = [&](const char *name, std::string &value) {
    if (const auto at = given.find(name); at != given.end() && at->is_string())
      value = at->get<std::string>();
  };
  take("program", arguments.program);
  take("inputs", arguments.inputs);
  take("expected", arguments.expected);
  if (const auto at = given.find("seed"); at != given.end() && at->is_number_unsigned())
    arguments.seed = at->get<uint64_t>();
  if (const auto at = given.find("jitter"); at != given.end() && at->is_number_unsigned())
    arguments.jitter = at->get<uint64_t>();
  if (const auto at = given.find("rows"); at != given.end() && at->is_boolean())
    arguments.rows = at->get<bool>();
  if (const auto at = given.find("onFault"); at != given.end() && *at == "continue")
    arguments.faults.onFault = OnFault::continueRun;
  return arguments;
}

Status serve(const DebugArguments &arguments, std::optional<unsigned> port) {
  ReferenceFramework framework(1);
  const AdapterLoader load = [&](const Json &given,
                                 std::function<bool()> isInterrupted) -> Result<std::unique_ptr<Debugger>> {
    const DebugArguments own = launched(arguments, given);
    if (own.program.empty())
      return usageError("launch", "the program is missing",
                        "add \"program\": \"model.trb\" to the launch configuration");
    TILERIG_TRY(auto debugger, loadDebugger(own, framework, std::move(isInterrupted)));
    if (!own.expected.empty())
      TILERIG_CHECK_OK(readExpected(own, *debugger));
    return debugger;
  };
  if (!port)
    return serveAdapter(load, STDIN_FILENO, STDOUT_FILENO);
  return serveAdapterOn(load, static_cast<uint16_t>(*port), [&] {
    std::cerr << fmt::format("waiting for an editor on 127.0.0.1:{}", *port) << std::endl;
  });
}

Result<ExitCode> talk(const DebugArguments &arguments, const SessionArguments &given, bool json) {
  std::string script;
  if (!given.script.empty()) {
    TILERIG_TRY(script, readText(given.script));
  }
  ReferenceFramework framework(1);
  TILERIG_TRY(const std::unique_ptr<Debugger> debugger, loadDebugger(arguments, framework, wasInterrupted));
  DebugSession session(*debugger, json);
  if (!arguments.expected.empty()) {
    TILERIG_TRY(const std::string line, readExpected(arguments, *debugger));
    session.show(line);
  }
  catchInterrupts();
  session.takeAll(*linesOf(script), false);
  session.takeAll(*linesOf(fmt::format("{}", fmt::join(given.commands, "\n"))), false);
  const bool isBatch = !given.script.empty() || !given.commands.empty();
  const bool isTyped = !json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (!isBatch && !session.isOver()) {
    TILERIG_CHECK_OK(debugger->start());
    session.show(whereText(*debugger, {}) + "\n'help' lists the commands, 'quit' leaves");
    session.takeAll(isTyped ? *typedLines(session.console()) : *linesOfInput(), isTyped);
  }
  if (json)
    std::cout << Json{{"program", arguments.program}, {"commands", session.document}}.dump(
                     2, ' ', false, Json::error_handler_t::replace)
              << "\n";
  return session.code();
}

Result<ExitCode> debug(const DebugArguments &arguments, const SessionArguments &session,
                       const CommandOptions &options, bool json) {
  TILERIG_CHECK_OK(checkTogether(arguments, session, options, json));
  const MemoryScope scope(std::make_shared<MemoryBudget>(usualMemoryLimit(0)));
  if (!session.isAdapter)
    return talk(arguments, session, json);
  TILERIG_CHECK_OK(serve(arguments, session.port));
  return ExitCode::done;
}

} // namespace

} // namespace tilerig::emulator

int main(int argc, char **argv) {
  using namespace tilerig;
  using namespace tilerig::emulator;
  CommandLine line(command("debug"),
                   "tilerig debug model.trb -i inputs.npz\n"
                   "tilerig debug model.trb -c 'break node conv1' -c continue -c where\n"
                   "tilerig debug model.trb -i inputs.npz --expected values.npz -c first-difference"
                   "  # and who wrote it\n"
                   "tilerig debug racy.trb --jitter 7 --script steps.txt\n"
                   "tilerig debug --dap  # for editors; emulator/Debug/README.md has a launch.json");
  DebugArguments arguments;
  SessionArguments session;
  CommandOptions &options = line.options();
  options.addOption("PROGRAM", arguments.program,
                    "program (.trb); with --dap, the editor may name it instead");
  options.addOption(
      "-i,--inputs", arguments.inputs,
      "input tensors by name (.npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder of them) (default: random inputs "
      "made from --seed)");
  options.addOption("--seed", arguments.seed, "seed of the random inputs").showDefault();
  options.addOption(
      "--expected", arguments.expected,
      "stop at the first element that differs from these tensors (.npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder), such as "
      "those that tilerig reference --arithmetic machine --capture all computes from the model "
      "that tilerig compile --emit onnx writes");
  options
      .addOption("-c,--command", session.commands,
                 "a command of the debugger; may be given several times, and the session ends after the last")
      .oneValueEach();
  options.addOption(
      "--script", session.script,
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
  addFaultOptions(options, arguments.faults, "");
  options.addFlag("--dap", session.isAdapter,
                  "serve an editor by the Debug Adapter Protocol, over standard input and output");
  options
      .addOption("--dap-port", session.port,
                 "with --dap: serve it on this port of the loopback interface instead")
      .range(1u, 65535u);
  return line.run(argc, argv, [&] { return debug(arguments, session, options, line.json()); });
}
