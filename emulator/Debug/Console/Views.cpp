#include "emulator/Debug/Console/Views.h"

#include "emulator/Memory/Box.h"
#include "isa/Analyser/Order.h"
#include "isa/Assembly/Printer.h"
#include "isa/Base/CommandLine/TextTable.h"
#include "isa/Base/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

constexpr std::string_view threadNames[] = {"sequencer",    "pod",          "pe",           "dma_in read",
                                            "dma_in write", "dma_out read", "dma_out write"};

std::string_view nameOf(ThreadId thread) { return threadNames[slotOf(thread)]; }
std::string_view nameOf(Activity activity) {
  return EnumNames<Activity>::values[static_cast<size_t>(activity)];
}

const DeviceStage &codeOf(const Program &program, uint32_t stage) {
  return std::get<DeviceStage>(program.stages[stage].work);
}

std::string layerText(const Program &program, uint32_t layer) {
  const auto &layers = program.metadata.layers();
  if (layer >= static_cast<uint32_t>(layers.size()))
    return "";
  return fmt::format("layer {} '{}'", layer + 1, printable(layers[static_cast<int>(layer)].name()));
}

Place placeAt(const Debugger &debugger, ThreadId thread, uint32_t instruction) {
  return placeOf(debugger.program(), debugger.deviceStage()->index, tileOfThread(thread), instruction);
}

std::string hex(const std::vector<std::byte> &bytes) {
  std::string text;
  for (std::byte byte : bytes)
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<int>(byte));
  return text;
}

std::string rangeText(MemoryId memory, ByteRange bytes) {
  return fmt::format("{}..0x{:x}", describe(Location{memory, bytes.begin}), bytes.end - 1);
}

std::string momentText(const Debugger &debugger, const StopMoment &moment) {
  const auto point = std::ranges::find(debugger.stopPoints(), moment.stopPoint, &StopPoint::number);
  std::string text = fmt::format("breakpoint {}, {}", moment.stopPoint,
                                 point == debugger.stopPoints().end() ? "" : printable(point->text));
  if (moment.step) {
    const Step &step = debugger.deviceStage()->costs->threads.step(*moment.step);
    text +=
        "\n" + instructionText(debugger.program(), placeAt(debugger, moment.step->thread, step.instruction));
  }
  return text;
}

std::string watchText(const Debugger &debugger, const WatchHit &hit) {
  const auto point = std::ranges::find(debugger.stopPoints(), hit.stopPoint, &StopPoint::number);
  std::string text = fmt::format("watchpoint {}, {}: {} of {}", hit.stopPoint,
                                 point == debugger.stopPoints().end() ? "" : printable(point->text),
                                 hit.access.kind == AccessKind::read ? "a read" : "a write",
                                 rangeText(hit.memory, hit.bytes));
  if (hit.place)
    text += "\n" + instructionText(debugger.program(), *hit.place);
  else
    text += "\n  a bit flips";
  if (hit.access.kind == AccessKind::write)
    text += fmt::format("\n  before  {}\n  after   {}", hex(hit.before), hex(hit.after));
  return text;
}

std::string elementText(const Difference &difference) {
  return fmt::format("{}[{}] at {} is {}, expected {}", printable(difference.tensor->name()),
                     fmt::join(difference.position, ", "), describe(difference.location), difference.computed,
                     difference.expected);
}

std::string differenceText(const Debugger &debugger, const Difference &difference) {
  std::string text = "an element differs from the expected one: " + elementText(difference);
  const TimedStage *stage = debugger.deviceStage();
  if (difference.job && stage) {
    const Job &job = debugger.recordedRun().replayOf(stage->index)->instructions()[*difference.job];
    text += "\n" + instructionText(debugger.program(), placeAt(debugger, job.thread, job.instruction));
  }
  return text;
}

std::string indented(const std::string &text) {
  std::string result = "  ";
  for (char letter : text) {
    result += letter;
    if (letter == '\n')
      result += "  ";
  }
  return result;
}

// Text of an instruction without its layer, which is said beside it, counted from 1.
void appendText(const Instruction &instruction, size_t indent, std::string &out) {
  Instruction shown = instruction;
  std::visit([](auto &typed) { typed.layer = 0; }, shown);
  printInstruction(shown, indent, out);
}

std::string listOf(const std::vector<uint32_t> &numbers, size_t most) {
  const auto shown = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(most, numbers.size()));
  std::string text = fmt::format("{}", fmt::join(numbers.begin(), shown, " "));
  if (numbers.size() > most)
    text += fmt::format(" ... ({})", numbers.size());
  return text;
}

// Whether a transfer, whose data are being written, is still being read.
bool isAlsoReading(const Debugger &debugger, const ThreadState &state) {
  if (!isDmaWrite(kindOf(state.thread)))
    return false;
  const ThreadState reader = debugger.engineStates()->threadAt(readerOf(state.thread), debugger.stateCycle());
  return reader.activity == Activity::working && reader.instruction == state.instruction;
}

constexpr std::string_view noDevice =
    "no instructions run at this moment: it is between two stages, in a stage of the host, or at the end";

} // namespace

std::string instructionText(const Program &program, const Place &place) {
  if (place.host)
    return fmt::format("  {}", describe(place, program));
  const Instruction &instruction = codeOf(program, place.stage).tiles[place.tile][place.instruction];
  std::string text = fmt::format("  {}\n    ", printable(describe(place, program)));
  appendText(instruction, 4, text);
  return text;
}

std::string waitText(const Debugger &debugger, const ThreadState &state) {
  if (state.activity != Activity::waiting && state.activity != Activity::stuck)
    return "";
  const StageThreads &threads = debugger.deviceStage()->costs->threads;
  const auto of = [&](Event event) {
    if (event.ordinal == 0 || event.ordinal > threads.numSteps(event.thread))
      return std::string("an instruction that does not exist");
    return fmt::format("the end of instruction {} on tile {}, {}", threads.step(event).instruction,
                       tileOfThread(event.thread), nameOf(event.thread));
  };
  switch (state.need) {
  case Need::nothing:
    if (isDmaWrite(kindOf(state.thread)))
      return "its first byte to be read";
    return std::ranges::count(state.queue, state.instruction) == 0 &&
                   kindOf(state.thread) != ThreadKind::sequencer
               ? "the sequencer to pass it on"
               : "";
  case Need::event:
    return of(state.event);
  case Need::sum:
    return "the sum of several signals";
  case Need::never:
    return "a value that no signal reaches";
  case Need::space:
    return "space in a queue: " + of(state.event);
  case Need::drain:
    return "the engines of its tile, before a barrier";
  case Need::meet:
    return "the other tiles at a barrier";
  }
  return "";
}

std::string stopText(const Debugger &debugger, const Stop &stop) {
  const std::string at = fmt::format("cycle {}: ", withSeparators(stop.cycle));
  switch (stop.reason) {
  case StopReason::beginning:
    return at + "the beginning of the program";
  case StopReason::step:
    return at.substr(0, at.size() - 2);
  case StopReason::difference:
    return at + differenceText(debugger, *stop.difference);
  case StopReason::fault:
    return at + printable(describe(*stop.fault, debugger.program()));
  case StopReason::end:
    return at + "the end of the program";
  case StopReason::interrupted:
    return at + "interrupted";
  case StopReason::stopPoint:
    break;
  }
  if (stop.watch)
    return at + watchText(debugger, *stop.watch);
  std::string text = at;
  constexpr size_t most = 8;
  for (size_t i = 0; i < stop.moments.size() && i < most; ++i)
    text += (i > 0 ? "\n" : "") + momentText(debugger, stop.moments[i]);
  if (stop.moments.size() > most)
    text += fmt::format("\n... and {} more", stop.moments.size() - most);
  return text;
}

std::string firstDifferenceText(const Debugger &debugger, const std::optional<FirstDifference> &found) {
  if (!found)
    return "no element differs from the expected one";
  std::string text =
      "the first element that differs from the expected one: " + elementText(found->difference);
  if (found->place)
    text += fmt::format("\n  written in cycles {} to {} by\n{}", withSeparators(found->begin),
                        withSeparators(found->end), instructionText(debugger.program(), *found->place));
  return text;
}

std::string whereText(const Debugger &debugger, std::optional<ThreadId> focus) {
  std::string text = fmt::format("cycle {}", withSeparators(debugger.cycle()));
  const TimedStage *stage = debugger.deviceStage();
  if (!stage)
    return text + fmt::format("; {}", noDevice);
  text += fmt::format(", stage {} '{}', cycles {} to {}", stage->index,
                      printable(debugger.program().stages[stage->index].name), withSeparators(stage->begin),
                      withSeparators(stage->end));
  constexpr unsigned most = 8;
  unsigned working = 0;
  for (ThreadId thread = 0; thread < stage->costs->threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || (focus && thread != *focus))
      continue;
    const ThreadState state = debugger.engineStates()->threadAt(thread, debugger.stateCycle());
    if (!focus && (state.activity != Activity::working || kindOf(thread) == ThreadKind::sequencer ||
                   isAlsoReading(debugger, state)))
      continue;
    if (++working > most)
      continue;
    if (state.activity == Activity::done) {
      text += fmt::format("\n  tile {}, {}: done", tileOfThread(thread), nameOf(thread));
      continue;
    }
    const bool begins = state.activity == Activity::waiting && state.time.begin == debugger.stateCycle();
    text += fmt::format("\n  {}{}", begins ? "begins" : nameOf(state.activity),
                        state.activity == Activity::working
                            ? fmt::format(" until cycle {}", withSeparators(state.time.end))
                            : "");
    if (const std::string need = waitText(debugger, state); !need.empty() && !begins)
      text += " for " + need;
    text +=
        "\n" + indented(instructionText(debugger.program(), placeAt(debugger, thread, state.instruction)));
  }
  if (working > most)
    text +=
        fmt::format("\n  ... and {} more engines at work; the command 'engines' lists them", working - most);
  return text;
}

std::string beginningText(const Debugger &debugger) {
  std::string text = fmt::format("cycle {}", withSeparators(debugger.cycle()));
  const TimedStage *stage = debugger.deviceStage();
  if (!stage)
    return text + fmt::format("; {}", noDevice);
  constexpr unsigned most = 4;
  unsigned beginning = 0;
  for (ThreadId thread = 0; thread < stage->costs->threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || isDmaWrite(kindOf(thread)))
      continue;
    const ThreadState state = debugger.engineStates()->threadAt(thread, debugger.stateCycle());
    if (state.activity == Activity::done ||
        engineOfThread(thread) !=
            engineOf(codeOf(debugger.program(), stage->index).tiles[tileOfThread(thread)][state.instruction]))
      continue; // the sequencer hands it over to another engine
    if (state.activity == Activity::waiting && state.time.begin == debugger.stateCycle() &&
        ++beginning <= most)
      text += "\n" + instructionText(debugger.program(), placeAt(debugger, thread, state.instruction));
  }
  if (beginning > most)
    text += fmt::format("\n  ... and {} more instructions that begin in this cycle", beginning - most);
  return text;
}

std::string enginesText(const Debugger &debugger, std::optional<uint32_t> tile) {
  const TimedStage *stage = debugger.deviceStage();
  if (!stage)
    return std::string(noDevice);
  Table table({{"tile", Align::right},
               {"engine"},
               {"state"},
               {"instruction", Align::right},
               {"kind"},
               {"layer"},
               {"until", Align::right},
               {"waits for"},
               {"queue"}});
  for (ThreadId thread = 0; thread < stage->costs->threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || (tile && tileOfThread(thread) != *tile))
      continue;
    const ThreadState state = debugger.engineStates()->threadAt(thread, debugger.stateCycle());
    if (!tile && (state.activity != Activity::working || kindOf(thread) == ThreadKind::sequencer))
      continue;
    const bool begins = state.activity == Activity::waiting && state.time.begin == debugger.stateCycle();
    std::vector<std::string> row = {std::to_string(tileOfThread(thread)), std::string(nameOf(thread)),
                                    begins ? "begins" : std::string(nameOf(state.activity))};
    if (state.activity == Activity::done) {
      row.resize(9);
    } else {
      const Instruction &instruction =
          codeOf(debugger.program(), stage->index).tiles[tileOfThread(thread)][state.instruction];
      row.push_back(std::to_string(state.instruction));
      row.emplace_back(mnemonicOf(instruction));
      row.push_back(layerText(debugger.program(), layerOf(instruction)));
      row.push_back(state.activity == Activity::working ? withSeparators(state.time.end) : "");
      row.push_back(begins ? "" : waitText(debugger, state));
      row.push_back(listOf(state.queue, 8));
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string semaphoresText(const Debugger &debugger, std::optional<uint32_t> tile) {
  if (!debugger.deviceStage())
    return std::string(noDevice);
  Table table({{"tile", Align::right},
               {"semaphore", Align::right},
               {"value", Align::right},
               {"waited for", Align::right}});
  for (const SemaphoreState &state : debugger.engineStates()->semaphoresAt(debugger.stateCycle()))
    if (!tile || state.tile == *tile)
      table.add({std::to_string(state.tile), std::to_string(state.semaphore), std::to_string(state.value),
                 state.waitedFor ? std::to_string(state.waitedFor) : ""});
  return table.rows() == 0 ? "all semaphores are 0" : table.text();
}

std::string timelineText(const Debugger &debugger, uint32_t tile, uint64_t begin, uint64_t end) {
  const TimedStage *stage = debugger.deviceStage();
  if (!stage)
    return std::string(noDevice);
  const uint64_t columns = std::min<uint64_t>(80, end - begin);
  const uint64_t perColumn = (end - begin + columns - 1) / columns;
  std::string text =
      fmt::format("tile {}, cycles {} to {}, {} to a column; '|' is now\n", tile, withSeparators(begin),
                  withSeparators(end), countText(perColumn, "cycle", "cycles"));
  const uint64_t now = debugger.cycle();
  std::string marks;
  for (unsigned slot = 0; slot < numThreadKinds; ++slot) {
    const ThreadId thread = tile * threadsPerTile + slot;
    std::string line(columns, '.');
    std::vector<uint32_t> shown;
    std::string legend;
    const auto &steps = stage->timeline->steps[thread];
    for (uint32_t i = 0; i < stage->timeline->ended[thread]; ++i) {
      if (steps[i].end <= begin || steps[i].begin >= end || steps[i].begin == steps[i].end)
        continue;
      const uint64_t first = (std::max(steps[i].begin, begin) - begin) / perColumn;
      const uint64_t last = (std::min(steps[i].end, end) - 1 - begin) / perColumn;
      const char letter = static_cast<char>('a' + shown.size() % 26);
      std::fill(line.begin() + static_cast<std::ptrdiff_t>(first),
                line.begin() + static_cast<std::ptrdiff_t>(last) + 1, letter);
      if (shown.size() < 26)
        legend += fmt::format("{}{}={}", legend.empty() ? "" : " ", letter,
                              stage->costs->threads.step({thread, i + 1}).instruction);
      else if (shown.size() == 26)
        legend += " ...";
      shown.push_back(stage->costs->threads.step({thread, i + 1}).instruction);
    }
    if (now >= begin && now < end)
      line[(now - begin) / perColumn] = '|';
    text += fmt::format("  {:<13} {}  {}\n", nameOf(thread), line, legend);
  }
  return text + "letters are instructions, whose numbers are on the right";
}

Result<std::string> clockText(const Debugger &debugger, ThreadId thread) {
  const TimedStage *stage = debugger.deviceStage();
  if (!stage)
    return std::string(noDevice);
  const ThreadState state = debugger.engineStates()->threadAt(thread, debugger.stateCycle());
  if (state.activity == Activity::done)
    return usageError(fmt::format("tile {} {}", tileOfThread(thread), nameOf(thread)),
                      "the engine has no instruction left");
  const Order order(stage->costs->threads);
  if (order.ended(thread) < state.ordinal)
    return usageError(fmt::format("tile {} {}", tileOfThread(thread), nameOf(thread)),
                      "the instruction never ends, so it has no clock");
  Table table({{"tile", Align::right},
               {"sequencer", Align::right},
               {"pod", Align::right},
               {"pe", Align::right},
               {"dma_in read", Align::right},
               {"dma_in write", Align::right},
               {"dma_out read", Align::right},
               {"dma_out write", Align::right}});
  for (uint32_t tile = 0; tile < debugger.program().tiles; ++tile) {
    std::vector<std::string> row = {std::to_string(tile)};
    bool isKnown = false;
    for (unsigned slot = 0; slot < numThreadKinds; ++slot) {
      const uint32_t known = order.clocks().known({thread, state.ordinal}, tile * threadsPerTile + slot);
      isKnown |= known > 0;
      row.push_back(std::to_string(known));
    }
    if (isKnown)
      table.add(std::move(row));
  }
  return "steps that have certainly ended, in every execution, when this one begins:\n" +
         instructionText(debugger.program(), placeAt(debugger, thread, state.instruction)) + "\n" +
         table.text();
}

std::string memoryText(const Debugger &debugger, const Location &location, uint64_t count,
                       std::optional<ElementType> type) {
  const uint64_t size = type ? sizeBytes(*type) : 1;
  const uint64_t end =
      std::min(location.address + count * size, sizeOf(location.memory, debugger.program().machine));
  const std::vector<std::byte> bytes = debugger.read(location.memory, {location.address, end});
  std::vector<bool> isMissing(bytes.size());
  debugger.initialised().forEachMissing(location.memory, {location.address, end}, [&](ByteRange missing) {
    std::fill(isMissing.begin() + static_cast<std::ptrdiff_t>(missing.begin - location.address),
              isMissing.begin() + static_cast<std::ptrdiff_t>(missing.end - location.address), true);
  });
  std::string text;
  for (uint64_t at = 0; at + size <= bytes.size(); at += size) {
    if (at % 16 == 0)
      text += fmt::format("{}{:<16}", at == 0 ? "" : "\n",
                          describe(Location{location.memory, location.address + at}));
    if (isMissing[at])
      text += type ? "          --" : " --";
    else
      text += type ? fmt::format(" {:>11.6g}", elementValue(bytes.data() + at, *type))
                   : fmt::format(" {:02x}", std::to_integer<int>(bytes[at]));
  }
  return text;
}

std::string tensorNote(const Debugger &debugger, const std::string &name) {
  const auto &tensors = debugger.program().metadata.tensors();
  const auto tensor = std::ranges::find(tensors, name, &proto::Tensor::name);
  const TimedStage *stage = debugger.deviceStage();
  if (tensor == tensors.end() || tensor->role() == proto::INPUT)
    return "";
  if (!stage || stage->index != tensor->stage())
    return stage && stage->index < tensor->stage() ? "(not written yet: a later stage computes it)\n" : "";
  uint64_t begin = UINT64_MAX, end = 0;
  for (const Job &job : debugger.recordedRun().replayOf(stage->index)->instructions())
    if (placeAt(debugger, job.thread, job.instruction).layer == tensor->layer()) {
      begin = std::min(begin, job.begin);
      end = std::max(end, job.end);
    }
  if (begin == UINT64_MAX)
    return "";
  const std::string when =
      fmt::format("{} works in cycles {} to {}", layerText(debugger.program(), tensor->layer()),
                  withSeparators(begin), withSeparators(end));
  if (debugger.stateCycle() <= end)
    return fmt::format("(not complete: {})\n", when);
  const Box box = boxOf(tensor->pieces(0));
  for (const Region &region : regionsOf(box, storedBytes(*tensor))) {
    const Writer writer = debugger.lastWriterOf(box.memory, region);
    if (writer.place && writer.place->layer > tensor->layer())
      return fmt::format("(overwritten since: {}, and {} has written here in cycles {} to {})\n", when,
                         layerText(debugger.program(), writer.place->layer), withSeparators(writer.begin),
                         withSeparators(writer.end));
  }
  return "";
}

static void appendWriters(const Debugger &debugger, const WriterChain &chain, size_t depth,
                          std::string &out) {
  const std::string indent(2 * depth, ' ');
  const Writer &writer = chain.writer;
  out += fmt::format("{}{}{}: ", indent, chain.operand.empty() ? "" : chain.operand + " ",
                     rangeText(chain.memory, chain.bytes));
  switch (writer.kind) {
  case WriterKind::nothing:
    out += "nothing has written it\n";
    break;
  case WriterKind::constant:
    out += "a constant of the program\n";
    break;
  case WriterKind::input:
    out += fmt::format("input '{}' of the program\n", printable(writer.tensor));
    break;
  case WriterKind::bitFlip:
    out += fmt::format("a bit flipped in cycle {}\n", withSeparators(writer.begin));
    break;
  case WriterKind::host:
  case WriterKind::instruction:
    out += fmt::format("written in cycles {} to {} by\n{}{}\n", withSeparators(writer.begin),
                       withSeparators(writer.end), indent,
                       printable(describe(*writer.place, debugger.program())));
    if (writer.kind == WriterKind::instruction) {
      out += indent + "  ";
      appendText(codeOf(debugger.program(), writer.place->stage)
                     .tiles[writer.place->tile][writer.place->instruction],
                 indent.size() + 2, out);
      out += "\n";
    }
    break;
  }
  for (const WriterChain &operand : chain.operands)
    appendWriters(debugger, operand, depth + 1, out);
}

std::string writersText(const Debugger &debugger, const WriterChain &chain) {
  std::string out;
  appendWriters(debugger, chain, 0, out);
  out.pop_back();
  return out;
}

std::string sourceText(const Program &program, const Place &place) {
  std::string text = instructionText(program, place);
  if (place.layer >= static_cast<uint32_t>(program.metadata.layers_size()))
    return text;
  const proto::Layer &layer = program.metadata.layers(static_cast<int>(place.layer));
  Facts facts;
  facts.add("layer", fmt::format("{} '{}', {}", place.layer + 1, printable(layer.name()), layer.kind()));
  facts.add("runs on", layer.where());
  facts.add("ONNX nodes", printable(fmt::format("{}", fmt::join(layer.onnx_nodes(), ", "))));
  facts.add("ONNX operators", printable(fmt::format("{}", fmt::join(layer.onnx_ops(), ", "))));
  facts.add("primitive", layer.primitive());
  facts.add("strategy", layer.strategy());
  for (const auto &[name, why] :
       std::map<std::string, std::string>(layer.decisions().begin(), layer.decisions().end()))
    facts.add(name, printable(why));
  return text + "\n" + facts.text();
}

std::string layersText(const Program &program) {
  Table table({{"layer", Align::right}, {"name"}, {"kind"}, {"runs on"}, {"ONNX nodes"}});
  for (const proto::Layer &layer : program.metadata.layers())
    table.add({std::to_string(layer.id() + 1), printable(layer.name()), layer.kind(), layer.where(),
               printable(fmt::format("{}", fmt::join(layer.onnx_nodes(), ", ")))});
  return table.rows() == 0 ? "the program names no layers" : table.text();
}

std::string tensorsText(const Program &program) {
  Table table(
      {{"tensor"}, {"shape"}, {"type"}, {"stored as"}, {"layer", Align::right}, {"pieces", Align::right}});
  for (const proto::Tensor &tensor : program.metadata.tensors())
    table.add({printable(tensor.name()), showShape(Shape(tensor.shape().begin(), tensor.shape().end())),
               tensor.dtype(), tensor.stored_type(), std::to_string(tensor.layer() + 1),
               std::to_string(tensor.pieces_size())});
  return table.text();
}

std::string stopPointsText(const Debugger &debugger) {
  Table table({{"number", Align::right}, {"stop"}, {"enabled"}, {"hits", Align::right}});
  for (const StopPoint &point : debugger.stopPoints())
    table.add({std::to_string(point.number), printable(point.text), point.isEnabled ? "yes" : "no",
               std::to_string(point.hits)});
  return table.rows() == 0 ? "there are no breakpoints or watchpoints" : table.text();
}

} // namespace tilerig::emulator
