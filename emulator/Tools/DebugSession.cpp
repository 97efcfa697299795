#include "emulator/Tools/DebugSession.h"

#include "isa/Base/CommandLine/ErrorJson.h"

#include <cmath>
#include <fmt/format.h>
#include <iostream>

namespace tilerig::emulator {

namespace {

// JSON has no infinities and NaNs.
Json numberText(double number) {
  return std::isfinite(number) ? Json(number) : Json(fmt::format("{}", number));
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

} // namespace

void DebugSession::show(const std::string &text) const {
  if (!json && !text.empty())
    std::cout << text << std::endl;
}

void DebugSession::takeAll(DebugLines &lines, bool isTyped) {
  while (!isOver()) {
    const std::optional<std::string> line = lines.next();
    if (!line)
      return;
    take(*line, isTyped);
  }
}

void DebugSession::take(const std::string &line, bool isTyped) {
  if (!isTyped)
    show("(tilerig) " + line);
  clearInterrupt();
  const auto text = ownConsole.execute(line);
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
  const bool differs =
      ownConsole.lastDifference() || (ownConsole.lastStop() && ownConsole.lastStop()->difference);
  if (differs && exitCode == ExitCode::done && !isTyped)
    exitCode = ExitCode::mismatch;
  if (ownConsole.lastStop())
    entry["stop"] = asJson(debugger, *ownConsole.lastStop());
  if (const auto &found = ownConsole.lastDifference()) {
    entry["difference"] = asJson(found->difference);
    entry["begin"] = found->begin, entry["end"] = found->end;
    if (found->place)
      entry["instruction"] = asJson(debugger.program(), *found->place);
  }
  if (json)
    document.push_back(std::move(entry));
}

} // namespace tilerig::emulator
