// A server of the Debug Adapter Protocol, with which editors use the debugger
// (https://microsoft.github.io/debug-adapter-protocol). It takes requests and returns responses and events; it reads and
// writes nothing itself.
//
// Every engine of every tile is a thread, on whose stack is its instruction and, below, the layer for which it works. Sources
// are the instructions of each tile and the list of layers. All threads stop and go together.
#pragma once

#include "emulator/Debug/Console/Console.h"
#include "emulator/Debug/Dap/Listings.h"
#include "emulator/Debug/Dap/Variables.h"

#include <functional>

namespace tilerig::emulator {

class DapServer {
public:
  // Loads what the request `launch` asks for; gets its arguments.
  using Loader = std::function<Result<std::unique_ptr<Debugger>>(const Json &arguments)>;
  explicit DapServer(Loader load) : load(std::move(load)) {}

  // Sends the response to a request, and the events that follow it. A wrong request gets a response that says what is wrong.
  // A movement takes place after its response has been sent.
  using Send = std::function<void(const Json &message)>;
  void handle(const Json &request, const Send &send);
  // Whether the client has ended the session.
  bool isDone() const { return done; }

private:
  // Carries out a request and returns the body of its response.
  using Handler = Result<Json> (DapServer::*)(const Json &arguments);
  struct Command {
    std::string_view name;
    Handler handler;
    bool needsProgram = true;
  };
  static const std::vector<Command> &commands();

  Result<Json> initialize(const Json &arguments);
  Result<Json> launch(const Json &arguments);
  Result<Json> configurationDone(const Json &arguments);
  Result<Json> restart(const Json &arguments);
  Result<Json> disconnect(const Json &arguments);

  Result<Json> setBreakpoints(const Json &arguments);
  Result<Json> setFunctionBreakpoints(const Json &arguments);
  Result<Json> setInstructionBreakpoints(const Json &arguments);
  Result<Json> dataBreakpointInfo(const Json &arguments);
  Result<Json> setDataBreakpoints(const Json &arguments);
  Result<Json> nothing(const Json &arguments);

  Result<Json> continueRun(const Json &arguments);
  Result<Json> reverseContinue(const Json &arguments);
  Result<Json> next(const Json &arguments);
  Result<Json> stepOut(const Json &arguments);
  Result<Json> stepBack(const Json &arguments);

  Result<Json> threads(const Json &arguments);
  Result<Json> stackTrace(const Json &arguments);
  Result<Json> scopes(const Json &arguments);
  Result<Json> variables(const Json &arguments);
  Result<Json> evaluate(const Json &arguments);
  Result<Json> completions(const Json &arguments);
  Result<Json> loadedSources(const Json &arguments);
  Result<Json> source(const Json &arguments);
  Result<Json> readMemory(const Json &arguments);
  Result<Json> disassemble(const Json &arguments);

  // Replaces the stop points of a group, such as those of a source, by those that `pointOf` makes of the breakpoints of a
  // request. Returns the body of the response.
  using PointOf = std::function<Result<StopPoint>(const Json &breakpoint)>;
  Json replacePoints(const std::string &group, const Json &breakpoints, const PointOf &pointOf);
  Result<StopPoint> pointOnLine(int source, const Json &breakpoint) const;
  Json moveLater(std::function<Result<Stop>()> movement);
  void announce(const Stop &stop);
  void sendEvent(const std::string &name, Json body);
  void sendEvents(const Send &send);
  Result<ThreadId> threadIn(const Json &arguments) const;
  Json stackFrame(ThreadId thread, const Place &place);
  Json layerFrame(ThreadId thread, uint32_t layer);
  Result<Place> instructionNamed(const std::string &reference) const;

  Loader load;
  std::unique_ptr<Debugger> debugger;
  std::optional<Listings> listings;
  std::optional<Variables> shown;
  std::unique_ptr<Console> console;
  std::map<std::string, std::vector<unsigned>> points; // numbers of stop points, by group
  ThreadId lastThread = 0;
  bool stopsOnEntry = false, done = false, atEnd = false;
  std::function<Result<Stop>()> pending; // the movement that follows the response
  std::vector<Json> events;
  int lastNumber = 0;
};

} // namespace tilerig::emulator
