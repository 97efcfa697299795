#include "emulator/Debug/Dap/Server.h"

#include "emulator/Debug/Console/Console.h"
#include "emulator/Debug/Console/StopPointWords.h"
#include "emulator/Debug/Console/Views.h"
#include "emulator/Memory/Box.h"
#include "isa/Assembly/Printer.h"
#include "isa/Base/Support/Base64.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

// --- members of requests, which may be missing or of a wrong type ---

std::string textIn(const Json &object, const char *name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}
// A number, with its size limited so that calculations with it do not overflow.
int64_t numberIn(const Json &object, const char *name, int64_t otherwise = 0) {
  constexpr int64_t most = int64_t{1} << 52;
  const auto at = object.find(name);
  if (at == object.end() || !at->is_number_integer())
    return otherwise;
  if (at->is_number_unsigned())
    return static_cast<int64_t>(std::min<uint64_t>(at->get<uint64_t>(), most));
  return std::clamp(at->get<int64_t>(), -most, most);
}
// A number of a source or of a group of variables; 0, which is none, if it is too large.
int referenceIn(const Json &object, const char *name) {
  const int64_t number = numberIn(object, name);
  return number >= 0 && number <= INT32_MAX ? static_cast<int>(number) : 0;
}
bool flagIn(const Json &object, const char *name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_boolean() && at->get<bool>();
}
Json listIn(const Json &object, const char *name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_array() ? *at : Json::array();
}
Json objectIn(const Json &object, const char *name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_object() ? *at : Json::object();
}

// Editors want numbers as addresses of instructions: the stage, the tile in 8 bits, and the index in 32 bits.
std::string referenceOf(const Place &place) {
  return fmt::format("0x{:x}", uint64_t{place.stage} << 40 | uint64_t{place.tile} << 32 | place.instruction);
}

// The thread on which an instruction of the place begins.
ThreadId threadOfPlace(const Place &place) { return threadOf(place.tile, startKind(place.engine)); }

Status readCondition(const Json &breakpoint, const Program &program, StopPoint &point) {
  if (const std::string text = textIn(breakpoint, "condition"); !text.empty()) {
    TILERIG_TRY(point.condition, Condition::parse(text, program));
  }
  return success();
}

} // namespace

const std::vector<DapServer::Command> &DapServer::commands() {
  static const std::vector<Command> all = {
      {"initialize", &DapServer::initialize, false},
      {"launch", &DapServer::launch, false},
      {"disconnect", &DapServer::disconnect, false},
      {"terminate", &DapServer::disconnect, false},
      {"configurationDone", &DapServer::configurationDone},
      {"restart", &DapServer::restart},
      {"setBreakpoints", &DapServer::setBreakpoints},
      {"setFunctionBreakpoints", &DapServer::setFunctionBreakpoints},
      {"setInstructionBreakpoints", &DapServer::setInstructionBreakpoints},
      {"setExceptionBreakpoints", &DapServer::nothing},
      {"dataBreakpointInfo", &DapServer::dataBreakpointInfo},
      {"setDataBreakpoints", &DapServer::setDataBreakpoints},
      {"pause", &DapServer::nothing, false},
      {"continue", &DapServer::continueRun},
      {"reverseContinue", &DapServer::reverseContinue},
      {"next", &DapServer::next},
      {"stepIn", &DapServer::next},
      {"stepOut", &DapServer::stepOut},
      {"stepBack", &DapServer::stepBack},
      {"threads", &DapServer::threads},
      {"stackTrace", &DapServer::stackTrace},
      {"scopes", &DapServer::scopes},
      {"variables", &DapServer::variables},
      {"evaluate", &DapServer::evaluate},
      {"completions", &DapServer::completions},
      {"loadedSources", &DapServer::loadedSources},
      {"source", &DapServer::source},
      {"readMemory", &DapServer::readMemory},
      {"disassemble", &DapServer::disassemble},
  };
  return all;
}

void DapServer::handle(const Json &request, const Send &send) {
  const std::string name = textIn(request, "command");
  const auto command = std::ranges::find(commands(), name, &Command::name);
  const Json arguments = objectIn(request, "arguments");
  Result<Json> body = Json::object();
  if (command == commands().end())
    body = unsupported(name.empty() ? "request" : name, "this debug adapter does not support such a request");
  else if (command->needsProgram && !debugger)
    body = usageError(name, "no program has been launched", "send the request launch first");
  else
    body = (this->*command->handler)(arguments);
  Json response = {{"seq", ++lastNumber},
                   {"type", "response"},
                   {"request_seq", numberIn(request, "seq")},
                   {"success", static_cast<bool>(body)},
                   {"command", name}};
  if (body) {
    response["body"] = *body;
  } else {
    const std::string message = body.error().message();
    response["message"] = message;
    response["body"] = {{"error", {{"id", 1}, {"format", message}, {"showUser", name == "launch"}}}};
  }
  send(response);
  sendEvents(send);
  if (const auto movement = std::exchange(pending, nullptr)) {
    shown->clear();
    if (const auto stop = movement()) {
      announce(*stop);
    } else {
      sendEvent("output", {{"category", "important"}, {"output", stop.error().message() + "\n"}});
      sendEvent("terminated", Json::object());
    }
    sendEvents(send);
  }
}

void DapServer::sendEvents(const Send &send) {
  for (Json &event : events) {
    event["seq"] = ++lastNumber;
    send(event);
  }
  events.clear();
}

void DapServer::sendEvent(const std::string &name, Json body) {
  events.push_back({{"seq", 0}, {"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

// --- the session ---

Result<Json> DapServer::initialize(const Json &) {
  Json body = Json::object();
  for (const char *ability :
       {"supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsConditionalBreakpoints",
        "supportsStepBack", "supportsDataBreakpoints", "supportsReadMemoryRequest",
        "supportsDisassembleRequest", "supportsInstructionBreakpoints", "supportsSteppingGranularity",
        "supportsTerminateRequest", "supportsRestartRequest", "supportsEvaluateForHovers",
        "supportsCompletionsRequest", "supportsLoadedSourcesRequest"})
    body[ability] = true;
  return body;
}

Result<Json> DapServer::launch(const Json &arguments) {
  if (debugger)
    return usageError("launch", "a program has been launched before",
                      "end the session, and begin another one");
  TILERIG_TRY(auto loaded, load(arguments));
  TILERIG_CHECK_OK(loaded->start());
  debugger = std::move(loaded);
  listings.emplace(debugger->program());
  shown.emplace(*debugger);
  console = std::make_unique<Console>(*debugger);
  stopsOnEntry = flagIn(arguments, "stopOnEntry");
  sendEvent("initialized", Json::object());
  return Json::object();
}

Result<Json> DapServer::configurationDone(const Json &) {
  if (!stopsOnEntry)
    return moveLater([this] { return debugger->go(TimeDirection::forward); });
  sendEvent("stopped", {{"reason", "entry"}, {"threadId", lastThread + 1}, {"allThreadsStopped", true}});
  return Json::object();
}

Result<Json> DapServer::restart(const Json &) {
  return moveLater([this] { return debugger->restart(); });
}

Result<Json> DapServer::disconnect(const Json &) {
  done = true;
  if (debugger)
    sendEvent("terminated", Json::object());
  return Json::object();
}

Result<Json> DapServer::nothing(const Json &) { return Json::object(); }

// --- stop points ---

Json DapServer::replacePoints(const std::string &group, const Json &breakpoints, const PointOf &pointOf) {
  for (unsigned number : points[group])
    debugger->remove(number);
  points[group].clear();
  Json answers = Json::array();
  for (const Json &breakpoint : breakpoints) {
    Result<StopPoint> point = pointOf(breakpoint);
    if (!point) {
      answers.push_back({{"verified", false}, {"message", point.error().message()}});
      continue;
    }
    points[group].push_back(debugger->add(*std::move(point)));
    answers.push_back({{"id", points[group].back()}, {"verified", true}});
  }
  return {{"breakpoints", answers}};
}

Result<StopPoint> DapServer::pointOnLine(int source, const Json &breakpoint) const {
  StopPoint point;
  const int64_t line = numberIn(breakpoint, "line");
  const Listing &listing = listings->of(source);
  const auto item =
      line < 1 || line > UINT32_MAX ? std::nullopt : listing.itemAt(static_cast<uint32_t>(line));
  if (!item)
    return usageError(fmt::format("line {}", line), "there is nothing on this line");
  if (const auto place = listings->tileOf(source)) {
    point.text = fmt::format("instruction {} of tile {}", *item, place->second);
    point.what = InstructionStop{.stage = place->first, .tile = place->second, .instruction = *item};
  } else {
    point.text = fmt::format("layer {}", *item + 1);
    point.what = LayerStop{{*item}};
  }
  TILERIG_CHECK_OK(readCondition(breakpoint, debugger->program(), point));
  return point;
}

Result<Json> DapServer::setBreakpoints(const Json &arguments) {
  const auto source = referenceIn(objectIn(arguments, "source"), "sourceReference");
  const Json breakpoints = listIn(arguments, "breakpoints");
  const bool exists =
      listings->exists(source); // an editor sends the breakpoints of all files of its workspace
  Json body = replacePoints(fmt::format("source {}", source), breakpoints,
                            [&](const Json &breakpoint) -> Result<StopPoint> {
                              if (exists)
                                return pointOnLine(source, breakpoint);
                              return usageError("source", "it is none of the sources of the program");
                            });
  if (!exists)
    return body;
  const Listing &listing = listings->of(source);
  for (size_t i = 0; i < breakpoints.size(); ++i)
    if (body["breakpoints"][i]["verified"].get<bool>())
      body["breakpoints"][i]["line"] =
          listing.lines[*listing.itemAt(static_cast<uint32_t>(numberIn(breakpoints[i], "line")))];
  return body;
}

Result<Json> DapServer::setFunctionBreakpoints(const Json &arguments) {
  const auto pointOf = [&](const Json &breakpoint) -> Result<StopPoint> {
    StopPoint point;
    point.text = textIn(breakpoint, "name");
    TILERIG_TRY(const uint32_t layer, layerNamed(point.text, debugger->program()));
    point.what = LayerStop{{layer}};
    TILERIG_CHECK_OK(readCondition(breakpoint, debugger->program(), point));
    return point;
  };
  return replacePoints("layers", listIn(arguments, "breakpoints"), pointOf);
}

// The instruction with this address (referenceOf).
Result<Place> DapServer::instructionNamed(const std::string &reference) const {
  TILERIG_TRY(const uint64_t address, parseNumber(reference, "address of an instruction"));
  const uint64_t stage = address >> 40, tile = address >> 32 & 0xff, index = address & UINT32_MAX;
  const Program &program = debugger->program();
  const auto *device =
      stage < program.stages.size() ? std::get_if<DeviceStage>(&program.stages[stage].work) : nullptr;
  if (!device || tile >= device->tiles.size() || index >= device->tiles[tile].size())
    return usageError(reference, "the program has no such instruction");
  return placeOf(program, static_cast<uint32_t>(stage), static_cast<uint32_t>(tile),
                 static_cast<uint32_t>(index));
}

Result<Json> DapServer::setInstructionBreakpoints(const Json &arguments) {
  const auto pointOf = [&](const Json &breakpoint) -> Result<StopPoint> {
    TILERIG_TRY(Place place, instructionNamed(textIn(breakpoint, "instructionReference")));
    place.instruction += static_cast<uint32_t>(numberIn(breakpoint, "offset"));
    TILERIG_TRY(place, instructionNamed(referenceOf(place)));
    StopPoint point;
    point.text = "instruction " + referenceOf(place);
    point.what = InstructionStop{.stage = place.stage, .tile = place.tile, .instruction = place.instruction};
    TILERIG_CHECK_OK(readCondition(breakpoint, debugger->program(), point));
    return point;
  };
  return replacePoints("instructions", listIn(arguments, "breakpoints"), pointOf);
}

// The id of a data breakpoint is the text that `watch` takes: a tensor, or a place and a number of bytes.
Result<Json> DapServer::dataBreakpointInfo(const Json &arguments) {
  const std::string name = textIn(arguments, "name");
  const std::string tensor = shown->tensorNamed(referenceIn(arguments, "variablesReference"), name);
  std::string id = tensor.empty() ? "" : fmt::format("tensor \"{}\"", tensor);
  if (id.empty() && flagIn(arguments, "asAddress"))
    id = fmt::format("{} {}", name, std::max<int64_t>(numberIn(arguments, "bytes", 1), 1));
  if (id.empty())
    return Json{{"dataId", nullptr}, {"description", "only tensors and memories can be watched"}};
  return Json{{"dataId", id},
              {"description", tensor.empty() ? name : tensor},
              {"accessTypes", {"read", "write", "readWrite"}},
              {"canPersist", true}};
}

Result<Json> DapServer::setDataBreakpoints(const Json &arguments) {
  const auto pointOf = [&](const Json &breakpoint) -> Result<StopPoint> {
    const std::string access = textIn(breakpoint, "accessType");
    const std::string id = textIn(breakpoint, "dataId");
    TILERIG_TRY(Words words, Words::of(fmt::format("{} {}", id,
                                                   access == "read"        ? "read"
                                                   : access == "readWrite" ? "both"
                                                                           : "write")));
    TILERIG_TRY(StopPoint point, watchpointOf(std::move(words), debugger->program()));
    TILERIG_CHECK_OK(readCondition(breakpoint, debugger->program(), point));
    return point;
  };
  return replacePoints("data", listIn(arguments, "breakpoints"), pointOf);
}

// --- movements ---

Json DapServer::moveLater(std::function<Result<Stop>()> movement) {
  pending = std::move(movement);
  return Json::object();
}

void DapServer::announce(const Stop &stop) {
  const std::string text = stopText(*debugger, stop);
  sendEvent("output", {{"category", "console"}, {"output", text + "\n"}});
  // At its end, the program can still be looked at, and the run can go back; only going on ends the session.
  if (stop.reason == StopReason::end && std::exchange(atEnd, true))
    return sendEvent("terminated", Json::object());
  atEnd = stop.reason == StopReason::end;
  Json body = {{"allThreadsStopped", true}, {"text", text}};
  for (const StopMoment &moment : stop.moments)
    if (moment.step)
      lastThread = moment.step->thread;
  for (const StopMoment &moment : stop.moments)
    body["hitBreakpointIds"].push_back(moment.stopPoint);
  body["reason"] = "step";
  if (!stop.moments.empty())
    body["reason"] = "breakpoint";
  if (stop.watch) {
    body["reason"] = "data breakpoint";
    body["hitBreakpointIds"] = {stop.watch->stopPoint};
    if (stop.watch->place && !stop.watch->place->host)
      lastThread = threadOfPlace(*stop.watch->place);
  }
  if (stop.difference) {
    const Writer writer = debugger->whoWrote(stop.difference->location, 0).writer;
    if (writer.place && !writer.place->host)
      lastThread = threadOfPlace(*writer.place);
  }
  if (stop.difference || stop.fault)
    body["reason"] = "exception";
  if (stop.reason == StopReason::interrupted)
    body["reason"] = "pause";
  if (stop.reason == StopReason::beginning)
    body["reason"] = "entry";
  if (stop.reason == StopReason::end)
    body["reason"] = "end";
  body["description"] = text.substr(0, text.find('\n'));
  body["threadId"] = lastThread + 1;
  sendEvent("stopped", std::move(body));
}

Result<Json> DapServer::continueRun(const Json &) {
  moveLater([this] { return debugger->go(TimeDirection::forward); });
  return Json{{"allThreadsContinued", true}};
}

Result<Json> DapServer::reverseContinue(const Json &) {
  return moveLater([this] { return debugger->go(TimeDirection::back); });
}

Result<ThreadId> DapServer::threadIn(const Json &arguments) const {
  const int64_t id = numberIn(arguments, "threadId", 0) - 1;
  if (id < 0 || id >= int64_t{debugger->program().tiles} * threadsPerTile ||
      slotOf(static_cast<ThreadId>(id)) >= numThreadKinds)
    return usageError(fmt::format("thread {}", id + 1), "there is no such thread",
                      "the request threads lists them");
  return static_cast<ThreadId>(id);
}

Result<Json> DapServer::next(const Json &arguments) {
  TILERIG_TRY(lastThread, threadIn(arguments));
  const std::string granularity = textIn(arguments, "granularity");
  const StepUnit unit = granularity == "line" ? StepUnit::primitive : StepUnit::instruction;
  return moveLater([this, unit] { return debugger->step(TimeDirection::forward, unit, lastThread); });
}

// Leaves the layer for which the engine works.
Result<Json> DapServer::stepOut(const Json &arguments) {
  TILERIG_TRY(lastThread, threadIn(arguments));
  return moveLater([this] { return debugger->step(TimeDirection::forward, StepUnit::layer, {}); });
}

Result<Json> DapServer::stepBack(const Json &arguments) {
  TILERIG_TRY(lastThread, threadIn(arguments));
  return moveLater([this] { return debugger->step(TimeDirection::back, StepUnit::instruction, lastThread); });
}

// --- state ---

Result<Json> DapServer::threads(const Json &) {
  Json list = Json::array();
  for (unsigned tile = 0; tile < debugger->program().tiles; ++tile)
    for (const Engine engine : {Engine::sequencer, Engine::pod, Engine::pe, Engine::dmaIn, Engine::dmaOut})
      list.push_back({{"id", threadOf(tile, startKind(engine)) + 1},
                      {"name", fmt::format("tile {} {}", tile,
                                           EnumNames<Engine>::values[static_cast<size_t>(engine)])}});
  return Json{{"threads", list}};
}

// The frames of a thread have the numbers 2 * thread + 1 (its instruction) and 2 * thread + 2 (its layer).
Json DapServer::stackFrame(ThreadId thread, const Place &place) {
  const Instruction &instruction = std::get<DeviceStage>(debugger->program().stages[place.stage].work)
                                       .tiles[place.tile][place.instruction];
  const int source = listings->sourceOf(place.stage, place.tile);
  return {{"id", 2 * thread + 1},
          {"name", fmt::format("{} {}", mnemonicOf(instruction), place.instruction)},
          {"source", listings->asJson(source)},
          {"line", listings->of(source).lines[place.instruction]},
          {"column", 1},
          {"instructionPointerReference", referenceOf(place)}};
}

Json DapServer::layerFrame(ThreadId thread, uint32_t layer) {
  const auto &layers = debugger->program().metadata.layers();
  return {{"id", 2 * thread + 2},
          {"name", fmt::format("layer {} {}", layer + 1, layers[static_cast<int>(layer)].name())},
          {"source", listings->asJson(Listings::layers)},
          {"line", layer + 1},
          {"column", 1}};
}

Result<Json> DapServer::stackTrace(const Json &arguments) {
  TILERIG_TRY(const ThreadId thread, threadIn(arguments));
  Json frames = Json::array();
  if (debugger->engineStates()) {
    const ThreadState state = debugger->engineStates()->threadAt(thread, debugger->stateCycle());
    if (state.activity != Activity::done) {
      const Place place = placeOf(debugger->program(), debugger->deviceStage()->index, tileOfThread(thread),
                                  state.instruction);
      frames.push_back(stackFrame(thread, place));
      if (place.layer < static_cast<uint32_t>(debugger->program().metadata.layers_size()))
        frames.push_back(layerFrame(thread, place.layer));
    }
  }
  return Json{{"stackFrames", frames}, {"totalFrames", frames.size()}};
}

Result<Json> DapServer::scopes(const Json &arguments) {
  const int64_t frame = numberIn(arguments, "frameId") - 1;
  TILERIG_TRY(const ThreadId thread, threadIn({{"threadId", frame / 2 + 1}}));
  std::optional<uint32_t> layer;
  if (frame % 2 == 1 && debugger->engineStates()) {
    const ThreadState state = debugger->engineStates()->threadAt(thread, debugger->stateCycle());
    if (state.activity != Activity::done)
      layer = placeOf(debugger->program(), debugger->deviceStage()->index, tileOfThread(thread),
                      state.instruction)
                  .layer;
  }
  return Json{{"scopes", shown->scopesOf(thread, layer)}};
}

Result<Json> DapServer::variables(const Json &arguments) {
  const auto reference = referenceIn(arguments, "variablesReference");
  TILERIG_TRY(Json list,
              shown->variablesOf(reference,
                                 static_cast<uint64_t>(std::max<int64_t>(numberIn(arguments, "start"), 0)),
                                 static_cast<uint64_t>(std::max<int64_t>(numberIn(arguments, "count"), 0))));
  return Json{{"variables", std::move(list)}};
}

// In the console of the editor, an expression is a command of the debugger; elsewhere, a tensor or a part of it.
Result<Json> DapServer::evaluate(const Json &arguments) {
  const std::string expression = textIn(arguments, "expression");
  const bool isCommand = textIn(arguments, "context") == "repl";
  TILERIG_TRY(const std::string text,
              console->execute(isCommand ? expression : "print \"" + expression + "\""));
  if (console->lastStop()) {
    shown->clear();
    announce(*console->lastStop());
  }
  if (console->wantsToQuit()) {
    done = true;
    sendEvent("terminated", Json::object());
  }
  return Json{{"result", text}, {"variablesReference", 0}};
}

Result<Json> DapServer::completions(const Json &arguments) {
  const std::string text = textIn(arguments, "text");
  const auto end = static_cast<size_t>(
      std::clamp<int64_t>(numberIn(arguments, "column", 1) - 1, 0, static_cast<int64_t>(text.size())));
  const size_t blank = text.substr(0, end).find_last_of(' ');
  const size_t begin = blank == std::string::npos ? 0 : blank + 1;
  Json targets = Json::array();
  for (const std::string &word : console->completionsOf(text.substr(0, end), begin))
    targets.push_back({{"label", word}, {"start", begin + 1}, {"length", end - begin}});
  return Json{{"targets", targets}};
}

Result<Json> DapServer::loadedSources(const Json &) {
  const Program &program = debugger->program();
  Json sources = Json::array({listings->asJson(Listings::layers)});
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (std::holds_alternative<DeviceStage>(program.stages[stage].work))
      for (uint32_t tile = 0; tile < program.tiles; ++tile)
        sources.push_back(listings->asJson(listings->sourceOf(stage, tile)));
  return Json{{"sources", sources}};
}

Result<Json> DapServer::source(const Json &arguments) {
  const Json inner = objectIn(arguments, "source");
  const int source = referenceIn(inner.contains("sourceReference") ? inner : arguments, "sourceReference");
  if (!listings->exists(source))
    return usageError("source", "it is none of the sources of the program", "loadedSources lists them");
  return Json{{"content", listings->of(source).text}};
}

Result<Json> DapServer::readMemory(const Json &arguments) {
  TILERIG_TRY(Location location, parseLocation(textIn(arguments, "memoryReference"), debugger->program()));
  const uint64_t size = sizeOf(location.memory, debugger->program().machine);
  const int64_t begin = static_cast<int64_t>(location.address) + numberIn(arguments, "offset");
  constexpr int64_t most = 1 << 20;
  const auto first = static_cast<uint64_t>(std::clamp<int64_t>(begin, 0, static_cast<int64_t>(size)));
  const uint64_t end = std::min(
      size, first + static_cast<uint64_t>(std::clamp<int64_t>(numberIn(arguments, "count"), 0, most)));
  location.address = first;
  return Json{{"address", fmt::format("0x{:x}", location.address)},
              {"data", toBase64(debugger->read(location.memory, {first, end}))}};
}

Result<Json> DapServer::disassemble(const Json &arguments) {
  TILERIG_TRY(const Place place, instructionNamed(textIn(arguments, "memoryReference")));
  const auto &code = std::get<DeviceStage>(debugger->program().stages[place.stage].work).tiles[place.tile];
  const int source = listings->sourceOf(place.stage, place.tile);
  const int64_t first = int64_t{place.instruction} + numberIn(arguments, "instructionOffset");
  constexpr int64_t most = 10'000;
  Json instructions = Json::array();
  for (int64_t i = first; i < first + std::clamp<int64_t>(numberIn(arguments, "instructionCount"), 0, most);
       ++i) {
    if (i < 0 || i >= static_cast<int64_t>(code.size())) {
      instructions.push_back({{"address", "0"}, {"instruction", ""}, {"presentationHint", "invalid"}});
      continue;
    }
    Place other = place;
    other.instruction = static_cast<uint32_t>(i);
    instructions.push_back({{"address", referenceOf(other)},
                            {"instruction", printInstruction(code[static_cast<size_t>(i)])},
                            {"location", listings->asJson(source)},
                            {"line", listings->of(source).lines[static_cast<size_t>(i)]}});
  }
  return Json{{"instructions", instructions}};
}

} // namespace tilerig::emulator
