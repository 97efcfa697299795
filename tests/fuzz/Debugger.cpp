// Fuzzer of what users and editors send to the debugger: lines of a session, or a stream of messages of the Debug Adapter
// Protocol. Each is carried out or refused, and the run can still be brought to its end.
#include "emulator/Debug/Console/Console.h"
#include "emulator/Debug/Dap/Messages.h"
#include "emulator/Debug/Dap/Server.h"
#include "isa/Assembly/Parser.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/support/Programs/HostSamples.h"

#include <sstream>

using namespace tilerig;
using namespace tilerig::emulator;

namespace {

// A small program with stages of the device and of the host.
std::unique_ptr<Debugger> freshDebugger() {
  static const Assembly assembly = *parseAssembly(test::textOf(test::hostSamples().front()), "sample");
  TensorMap inputs;
  for (const proto::Tensor &tensor : assembly.program.metadata.tensors())
    if (tensor.role() == proto::INPUT)
      require(static_cast<bool>(
          inputs.add(tensor.name(), Tensor(*dtypeNamed(tensor.dtype()),
                                           Shape(tensor.shape().begin(), tensor.shape().end())))));
  auto debugger = Debugger::load(assembly.program, {}, std::move(inputs), {.historyBytes = 4096}, nullptr);
  require(static_cast<bool>(debugger));
  return *std::move(debugger);
}

void talk(const std::string &text) {
  const auto debugger = freshDebugger();
  Console console(*debugger);
  std::istringstream lines(text);
  std::string line;
  for (unsigned i = 0; i < 20 && !console.wantsToQuit() && std::getline(lines, line); ++i) {
    const auto answer = console.execute(line);
    require(answer || !answer.error().what.empty());
    console.completionsOf(line, line.size() / 2);
  }
  require(static_cast<bool>(console.execute("delete all")));
  for (unsigned i = 0; i < 10 && !debugger->isOver(); ++i)
    require(static_cast<bool>(console.execute("continue")));
  require(debugger->isOver());
}

void serve(std::string_view bytes) {
  MessageReader reader;
  DapServer server([](const Json &) { return Result<std::unique_ptr<Debugger>>(freshDebugger()); });
  const auto check = [](const Json &message) { require(!framed(message).empty()); };
  for (size_t at = 0; at < bytes.size(); at += 100) {
    reader.add(bytes.substr(at, 100));
    for (unsigned i = 0; i < 20 && !server.isDone(); ++i) {
      const auto message = reader.next();
      if (!message)
        return;
      if (!*message)
        break;
      server.handle(**message, check);
    }
  }
}

std::string stream(std::initializer_list<std::pair<const char *, const char *>> requests) {
  std::string text;
  for (const auto &[command, arguments] : requests)
    text += framed(
        {{"seq", 1}, {"type", "request"}, {"command", command}, {"arguments", Json::parse(arguments)}});
  return text;
}

} // namespace

extern "C" void tilerigSeeds(SeedSink &sink) {
  sink.add(
      "break tile 0 if i32(ddr:0x1000) != 3\nc\nstep 2 beat\nrs\nrc\nwatch ocm0:0x40 16 both\nc\npoints\nmemory ddr:0x1000 8 fp32");
  sink.add(
      "tensors\nprint x[0, :2]\nwho-wrote ddr:0x2000 3\nfocus 0 dma_in\ns\ns primitive\nclock\nsource\nwhere\ngo 100\nrestart");
  sink.add(
      "break semaphore 0 1 2\nbreak cycle 30\nbreak kind load\nengines\nsemaphores 0\ntimeline 0 200\ndisable 1\nhelp break\nfaults");
  sink.add(stream(
      {{"initialize", "{}"},
       {"launch", R"({"program": "x"})"},
       {"setBreakpoints",
        R"({"source": {"sourceReference": 2}, "breakpoints": [{"line": 1, "condition": "cycle > 2"}]})"},
       {"configurationDone", "{}"},
       {"stackTrace", R"({"threadId": 4})"},
       {"scopes", R"({"frameId": 7})"},
       {"variables", R"({"variablesReference": 3, "start": 0, "count": 2})"}}));
  sink.add(stream(
      {{"launch", R"({"stopOnEntry": true})"},
       {"dataBreakpointInfo", R"({"name": "ddr:0x1000", "asAddress": true, "bytes": 4})"},
       {"setDataBreakpoints", R"({"breakpoints": [{"dataId": "ddr:0x1000 4", "accessType": "readWrite"}]})"},
       {"continue", R"({"threadId": 1})"},
       {"readMemory", R"({"memoryReference": "ddr:0x1000", "offset": -4, "count": 16})"},
       {"disassemble", R"({"memoryReference": "0x0", "instructionOffset": -2, "instructionCount": 5})"},
       {"evaluate", R"({"expression": "who-wrote ddr:0x1000", "context": "repl"})"},
       {"stepBack", R"({"threadId": 4})"},
       {"completions", R"({"text": "break la", "column": 9})"},
       {"source", R"({"sourceReference": 1})"}}));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  if (text.starts_with("Content-Length"))
    serve(text);
  else
    talk(std::string(text));
  return 0;
}
