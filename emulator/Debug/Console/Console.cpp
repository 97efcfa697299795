#include "emulator/Debug/Console/Console.h"

#include "emulator/Debug/Console/Saving.h"
#include "emulator/Debug/Console/StopPointWords.h"
#include "emulator/Debug/Console/TensorText.h"
#include "emulator/Debug/Console/Views.h"
#include "emulator/Observe/Observers.h"
#include "isa/Base/CommandLine/TextTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

// A command: its names, the words that follow, and what it does.
struct Console::Command {
  std::vector<std::string> names; // the full name first
  std::string words, summary, details;
  bool isStep = false; // whether an empty line repeats it
  Result<std::string> (*run)(Console &, Words);
  bool needsRun = true; // whether it needs the times of instructions
};

const std::vector<Console::Command> &Console::commands() {
  static const std::vector<Command> all = {
      {{"continue", "c"},
       "",
       "go on to the next breakpoint, watchpoint, fault or difference",
       "",
       true,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         return console.move(console.debugger.go(TimeDirection::forward));
       }},
      {{"reverse-continue", "rc"},
       "",
       "go back to the breakpoint or watchpoint before",
       "",
       true,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         return console.move(console.debugger.go(TimeDirection::back));
       }},
      {{"step", "s"},
       "[COUNT] [beat|instruction|primitive|layer|cycle]",
       "go on by one instruction, or by another unit",
       "Without a unit: to the beginning of the next instruction of the engine in focus, or of any engine.\n"
       "beat: the computation of a row, of a slice of a transfer, or of a whole instruction.\n"
       "primitive: past the instructions of the same layer and kind (needs a focus).\n"
       "layer: until the first instruction of another layer begins that computes.\n"
       "Example: step 3 layer",
       true,
       [](Console &console, Words words) { return console.step(std::move(words), TimeDirection::forward); }},
      {{"reverse-step", "rs"},
       "[COUNT] [beat|instruction|primitive|layer|cycle]",
       "go back by one instruction, or by another unit",
       "The units are those of step. Example: rs 2 cycle",
       true,
       [](Console &console, Words words) { return console.step(std::move(words), TimeDirection::back); }},
      {{"go"},
       "CYCLE",
       "go to a cycle of the run, before or after this one; on the way, only a fault stops it",
       "Example: go 12000",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_TRY(const uint64_t cycle, words.takeNumber("cycle"));
         TILERIG_CHECK_OK(words.end());
         return console.move(console.debugger.goTo(cycle));
       }},
      {{"restart"},
       "",
       "go back to before the first instruction",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         return console.move(console.debugger.restart());
       }},
      {{"break", "b"},
       "WHAT [if CONDITION]",
       "stop before certain instructions, at a cycle, or at a value of a semaphore",
       "break layer NAME|NUMBER             before the first instruction of a layer that computes (if none does: that moves elements)\n"
       "break node NAME                     the same for the layers of an ONNX node\n"
       "break instruction TILE INDEX [stage N]\n"
       "break kind MNEMONIC [TILE]          before each instruction of this kind, such as conv\n"
       "break engine TILE ENGINE            before each instruction of sequencer, pod, pe, dma_in or dma_out\n"
       "break tile TILE                     before each instruction of a tile\n"
       "break cycle N\n"
       "break semaphore TILE NUMBER VALUE   when a semaphore reaches a value\n"
       "break conflict                      before the instructions that conflict, according to the analyser\n"
       "A condition compares two values: numbers, cycle, semaphore(TILE,NUMBER), or an element in memory.\n"
       "Example: break kind conv 3 if fp16(ocm3:0x40) > 0.5",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_TRY(StopPoint point, breakpointOf(std::move(words), console.debugger.program()));
         return fmt::format("breakpoint {}", console.debugger.add(std::move(point)));
       }},
      {{"watch", "w"},
       "PLACE BYTES [read|write|both] [if CONDITION], or: tensor NAME ...",
       "stop when bytes of a memory or of a tensor are written, or read",
       "A place is ddr:ADDRESS, ocmTILE:ADDRESS, or an element of a tensor such as y[0,3,1].\n"
       "Writes to a tensor are those of its own layer. Going on stops after the access, going back before it.\n"
       "Example: watch ocm3:0x40 16 both",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_TRY(StopPoint point, watchpointOf(std::move(words), console.debugger.program()));
         return fmt::format("watchpoint {}", console.debugger.add(std::move(point)));
       }},
      {{"points"},
       "",
       "list breakpoints and watchpoints",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         return stopPointsText(console.debugger);
       }},
      {{"delete"},
       "NUMBER|all",
       "remove a breakpoint or watchpoint",
       "",
       false,
       [](Console &console, Words words) { return console.removePoints(std::move(words)); }},
      {{"disable"},
       "NUMBER",
       "pass a breakpoint or watchpoint without a stop",
       "",
       false,
       [](Console &console, Words words) { return console.enablePoint(std::move(words), false); }},
      {{"enable"},
       "NUMBER",
       "stop at it again",
       "",
       false,
       [](Console &console, Words words) { return console.enablePoint(std::move(words), true); }},
      {{"focus", "f"},
       "TILE ENGINE, or: all",
       "choose the engine whose instructions step counts",
       "Example: focus 3 pod",
       false,
       [](Console &console, Words words) { return console.setFocus(std::move(words)); }},
      {{"where"},
       "",
       "show the moment, and what the engine in focus or the working engines do",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         return whereText(console.debugger, console.focus);
       }},
      {{"engines", "e"},
       "[TILE]",
       "show the working engines, or all of a tile: what they do, for what they wait, and their queues",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_TRY(const auto tile, console.takeOptionalTile(words));
         return enginesText(console.debugger, tile);
       }},
      {{"semaphores"},
       "[TILE]",
       "show the values of semaphores",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_TRY(const auto tile, console.takeOptionalTile(words));
         return semaphoresText(console.debugger, tile);
       }},
      {{"timeline"},
       "TILE [CYCLES]",
       "draw what the engines of a tile do around this moment",
       "Example: timeline 3 2000",
       false,
       [](Console &console, Words words) { return console.timeline(std::move(words)); }},
      {{"clock"},
       "[TILE ENGINE]",
       "show the vector clock of an engine's next instruction: what has certainly ended before it",
       "",
       false,
       [](Console &console, Words words) { return console.clock(std::move(words)); }},
      {{"print", "p"},
       "TENSOR[SLICE]",
       "print a tensor as it is in memory now, in the type of the model",
       "A slice is written as in numpy, without negative steps. Example: print conv1[0, :3, ::2, -1]\n"
       "The memory of a tensor may hold other values before and after its time; a line says when it is written.",
       false,
       [](Console &console, Words words) { return console.print(std::move(words)); }},
      {{"memory", "m"},
       "PLACE [COUNT] [TYPE]",
       "print bytes of a memory, or elements of a type",
       "Bytes that nothing has written are shown as --. Example: memory ocm3:0x40 8 fp16\n"
       "Results are in memory when their instruction begins, unless tilerig debug was started with --rows.",
       false,
       [](Console &console, Words words) { return console.memory(std::move(words)); }},
      {{"save-tensor"},
       "FILE.npy TENSOR[SLICE]",
       "write a tensor to a file, as print shows it",
       "Example: save-tensor seen.npy conv1[0, :3]",
       false,
       [](Console &console, Words words) { return console.saveTensor(std::move(words)); }},
      {{"save-memory"},
       "FILE.npy PLACE COUNT [TYPE]",
       "write bytes of a memory, or elements of a type, to a file",
       "Example: save-memory buffer.npy ocm3:0x40 256 fp16\n"
       "bf16 is written as its bits (uint16), i9 as int16.",
       false,
       [](Console &console, Words words) { return console.saveMemory(std::move(words)); }},
      {{"who-wrote", "ww"},
       "PLACE [DEPTH]",
       "show who wrote a byte last, what that read, and who wrote that",
       "DEPTH says how often operands are followed (1 by default). Example: who-wrote ocm3:0x40 3",
       false,
       [](Console &console, Words words) { return console.whoWrote(std::move(words)); }},
      {{"first-difference", "fd"},
       "",
       "find the first element of the whole run that differs from the expected one, and who wrote it",
       "Needs --expected. It runs the program once, as fast as it can, and leaves the run where it is.\n"
       "Of an element that is stored in several places, it compares the first; 'continue' compares all.",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         if (!console.debugger.hasExpected())
           return usageError("expected tensors", "they are missing", "start 'tilerig debug' with --expected");
         TILERIG_TRY(console.difference, console.debugger.firstDifference());
         return firstDifferenceText(console.debugger, console.difference);
       },
       false},
      {{"source"},
       "[TILE INDEX [STAGE]]",
       "show where an instruction comes from: layer, ONNX nodes, decisions",
       "",
       false,
       [](Console &console, Words words) { return console.source(std::move(words)); }},
      {{"layers"},
       "",
       "list the layers of the program",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         return layersText(console.debugger.program());
       },
       false},
      {{"tensors"},
       "",
       "list the tensors of the program",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         return tensorsText(console.debugger.program());
       },
       false},
      {{"faults"},
       "",
       "list the faults that the run has found",
       "",
       false,
       [](Console &console, Words words) { return console.faults(std::move(words)); }},
      {{"help", "h"},
       "[COMMAND]",
       "list the commands, or explain one",
       "",
       false,
       [](Console &console, Words words) { return console.help(std::move(words)); },
       false},
      {{"quit", "q"},
       "",
       "leave the debugger",
       "",
       false,
       [](Console &console, Words words) -> Result<std::string> {
         TILERIG_CHECK_OK(words.end());
         console.quits = true;
         return std::string();
       },
       false},
  };
  return all;
}

const Console::Command *Console::find(const std::string &name) {
  for (const Command &command : commands())
    if (std::ranges::count(command.names, name) > 0)
      return &command;
  return nullptr;
}

Result<std::string> Console::execute(const std::string &line) {
  TILERIG_TRY(Words words, Words::of(line.empty() ? lastStep : line));
  stop.reset();
  difference.reset();
  if (words.empty())
    return std::string();
  TILERIG_TRY(const std::string name, words.take("command"));
  const Command *command = find(name);
  if (!command)
    return usageError(name, "there is no such command", "the command 'help' lists them");
  if (command->needsRun)
    TILERIG_CHECK_OK(debugger.start());
  auto text = command->run(*this, std::move(words));
  if (!text)
    return std::move(text).error().within(command->names.front());
  while (text->ends_with('\n'))
    text->pop_back();
  if (!line.empty())
    lastStep = command->isStep ? line : "";
  return text;
}

std::vector<std::string> Console::completionsOf(const std::string &line, size_t at) const {
  std::vector<std::string> words;
  const auto add = [&](const std::string &word) {
    if (word.starts_with(line.substr(at)))
      words.push_back(word.find(' ') == std::string::npos ? word : '"' + word + '"');
  };
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || begin >= at) {
    for (const Command &command : commands())
      add(command.names.front());
    return words;
  }
  for (const char *word : {"layer",     "node",     "instruction", "kind", "engine",    "tile",      "cycle",
                           "semaphore", "conflict", "tensor",      "beat", "primitive", "sequencer", "pod",
                           "pe",        "dma_in",   "dma_out",     "read", "write",     "both",      "all"})
    add(word);
  for (const proto::Layer &layer : debugger.program().metadata.layers())
    add(layer.name());
  for (const proto::Tensor &tensor : debugger.program().metadata.tensors())
    add(tensor.name());
  return words;
}

Result<std::string> Console::move(Result<Stop> moved) {
  TILERIG_TRY(stop, std::move(moved));
  return stopText(debugger, *stop);
}

Result<std::string> Console::help(Words words) {
  if (!words.empty()) {
    TILERIG_TRY(const std::string name, words.take("command"));
    const Command *command = find(name);
    if (!command)
      return usageError(name, "there is no such command", "the command 'help' lists them");
    std::string text =
        fmt::format("{} {}\n{}", fmt::join(command->names, ", "), command->words, command->summary);
    return command->details.empty() ? text : text + "\n" + command->details;
  }
  Table table({{"command"}, {"short"}, {"words that follow"}, {"meaning"}});
  for (const Command &command : commands())
    table.add(
        {command.names[0], command.names.size() > 1 ? command.names[1] : "", command.words, command.summary});
  return table.text() + "'help COMMAND' explains one; an empty line repeats a step";
}

Result<std::string> Console::step(Words words, TimeDirection direction) {
  uint64_t count = 1;
  StepUnit unit = StepUnit::instruction;
  if (!words.empty() && isNumber(words.front())) {
    TILERIG_TRY(count, words.takeNumber("number of steps"));
  }
  if (!words.empty()) {
    TILERIG_TRY(unit, words.takeName<StepUnit>("unit of steps"));
  }
  TILERIG_CHECK_OK(words.end());
  if (unit == StepUnit::primitive && !focus)
    return usageError("primitive", "there is no engine in focus", "choose one first, such as: focus 3 pod");
  if (count == 0)
    return usageError("0", "a number of steps is at least 1");
  for (uint64_t i = 0; i < count; ++i) {
    TILERIG_TRY(stop, debugger.step(direction, unit, focus));
    if (stop->reason != StopReason::step)
      break;
  }
  if (stop->reason != StopReason::step)
    return stopText(debugger, *stop);
  if (focus)
    return whereText(debugger, focus);
  return unit == StepUnit::instruction || unit == StepUnit::layer ? beginningText(debugger)
                                                                  : stopText(debugger, *stop);
}

Result<std::string> Console::removePoints(Words words) {
  if (words.takeIf("all")) {
    TILERIG_CHECK_OK(words.end());
    while (!debugger.stopPoints().empty())
      debugger.remove(debugger.stopPoints().front().number);
    return std::string("all are removed");
  }
  TILERIG_TRY(const uint64_t number, words.takeNumber("number"));
  TILERIG_CHECK_OK(words.end());
  if (number > UINT32_MAX || !debugger.remove(static_cast<unsigned>(number)))
    return usageError(std::to_string(number), "there is no breakpoint or watchpoint of this number",
                      "the command 'points' lists them");
  return fmt::format("{} is removed", number);
}

Result<std::string> Console::enablePoint(Words words, bool isEnabled) {
  TILERIG_TRY(const uint64_t number, words.takeNumber("number"));
  TILERIG_CHECK_OK(words.end());
  if (number > UINT32_MAX || !debugger.enable(static_cast<unsigned>(number), isEnabled))
    return usageError(std::to_string(number), "there is no breakpoint or watchpoint of this number",
                      "the command 'points' lists them");
  return fmt::format("{} is {}", number, isEnabled ? "enabled" : "disabled");
}

Result<std::string> Console::setFocus(Words words) {
  if (words.takeIf("all")) {
    TILERIG_CHECK_OK(words.end());
    focus.reset();
    return std::string("step counts the instructions of all engines");
  }
  TILERIG_TRY(const ThreadId thread, takeThread(words, debugger.program()));
  TILERIG_CHECK_OK(words.end());
  focus = thread;
  return whereText(debugger, focus);
}

Result<Console::ChosenTensor> Console::choose(Words &words) const {
  std::string text = words.rest(), slice;
  const auto &tensors = debugger.program().metadata.tensors();
  // A name may have brackets itself.
  if (const size_t bracket = text.rfind('[');
      bracket != std::string::npos && std::ranges::count(tensors, text, &proto::Tensor::name) == 0) {
    slice = text.substr(bracket);
    text.resize(bracket);
    while (text.ends_with(' '))
      text.pop_back();
  }
  if (text.empty())
    return usageError("name of a tensor", "this is missing", "the command 'tensors' lists them");
  TILERIG_TRY(Tensor tensor, debugger.tensor(text));
  if (slice.empty())
    return ChosenTensor{std::move(text), std::move(tensor)};
  TILERIG_TRY(Tensor part, sliceOf(tensor, slice));
  return ChosenTensor{std::move(text), std::move(part)};
}

Result<std::string> Console::print(Words words) {
  TILERIG_TRY(const ChosenTensor chosen, choose(words));
  return tensorNote(debugger, chosen.name) + tensorText(chosen.tensor);
}

Result<std::string> Console::saveTensor(Words words) {
  TILERIG_TRY(const std::string file, words.take("name of a file"));
  TILERIG_TRY(const ChosenTensor chosen, choose(words));
  TILERIG_TRY(const std::string written, saveTo(file, chosen.tensor));
  return tensorNote(debugger, chosen.name) + written;
}

Result<std::string> Console::saveMemory(Words words) {
  TILERIG_TRY(const std::string file, words.take("name of a file"));
  TILERIG_TRY(const std::string place, words.take("place"));
  TILERIG_TRY(const Location location, parseLocation(place, debugger.program()));
  TILERIG_TRY(const uint64_t count, words.takeNumber("number of elements"));
  ElementType type = ElementType::u8;
  if (!words.empty()) {
    TILERIG_TRY(type, words.takeName<ElementType>("type of elements"));
  }
  TILERIG_CHECK_OK(words.end());
  TILERIG_TRY(const MemoryTensor memory, memoryAsTensor(debugger, location, count, type));
  TILERIG_TRY(const std::string written, saveTo(file, memory.tensor));
  return written + (memory.unwritten ? fmt::format("\n{} that nothing has written {} saved as 0",
                                                   countText(memory.unwritten, "byte", "bytes"),
                                                   memory.unwritten == 1 ? "is" : "are")
                                     : std::string());
}

Result<std::string> Console::memory(Words words) {
  TILERIG_TRY(const std::string place, words.take("place"));
  TILERIG_TRY(const Location location, parseLocation(place, debugger.program()));
  uint64_t count = 64;
  std::optional<ElementType> type;
  if (!words.empty() && isNumber(words.front())) {
    TILERIG_TRY(count, words.takeNumber("number of elements"));
  }
  if (!words.empty()) {
    TILERIG_TRY(type, words.takeName<ElementType>("type of elements"));
  }
  TILERIG_CHECK_OK(words.end());
  constexpr uint64_t most = 4096;
  if (count > most)
    return usageError(std::to_string(count), fmt::format("at most {} elements are printed at once", most));
  return memoryText(debugger, location, count, type);
}

Result<std::string> Console::whoWrote(Words words) {
  TILERIG_TRY(const std::string place, words.take("place"));
  TILERIG_TRY(const Location location, parseLocation(place, debugger.program()));
  uint32_t depth = 1;
  if (!words.empty()) {
    TILERIG_TRY(depth, words.takeIndex("depth", 11));
  }
  TILERIG_CHECK_OK(words.end());
  return writersText(debugger, debugger.whoWrote(location, depth));
}

Result<std::string> Console::source(Words words) {
  const Program &program = debugger.program();
  if (!words.empty()) {
    TILERIG_TRY(const uint32_t tile, words.takeIndex("tile", program.tiles));
    TILERIG_TRY(const uint64_t index, words.takeNumber("number of an instruction"));
    uint32_t stage = debugger.deviceStage() ? debugger.deviceStage()->index : 0;
    if (!words.empty()) {
      TILERIG_TRY(stage, words.takeIndex("stage", program.stages.size()));
    }
    TILERIG_CHECK_OK(words.end());
    const auto *device = std::get_if<DeviceStage>(&program.stages[stage].work);
    if (!device || index >= device->tiles[tile].size())
      return usageError(fmt::format("instruction {}", index),
                        fmt::format("tile {} has no instruction of this number in stage {}", tile, stage));
    return sourceText(program, placeOf(program, stage, tile, static_cast<uint32_t>(index)));
  }
  if (!focus || !debugger.deviceStage())
    return usageError("source", "there is no engine in focus",
                      "name a tile and an instruction, such as: source 3 17");
  const ThreadState state = debugger.engineStates()->threadAt(*focus, debugger.stateCycle());
  if (state.activity == Activity::done)
    return usageError("engine", "the one in focus has no instruction left");
  return sourceText(program,
                    placeOf(program, debugger.deviceStage()->index, tileOfThread(*focus), state.instruction));
}

Result<std::string> Console::clock(Words words) {
  std::optional<ThreadId> thread = focus;
  if (!words.empty()) {
    TILERIG_TRY(thread, takeThread(words, debugger.program()));
  }
  TILERIG_CHECK_OK(words.end());
  if (!thread)
    return usageError("clock", "there is no engine in focus",
                      "name a tile and an engine, such as: clock 3 pod");
  return clockText(debugger, *thread);
}

Result<std::string> Console::timeline(Words words) {
  TILERIG_TRY(const uint32_t tile, words.takeIndex("tile", debugger.program().tiles));
  uint64_t cycles = 1600;
  if (!words.empty()) {
    TILERIG_TRY(cycles, words.takeIndex("number of cycles", 1'000'000'001));
  }
  TILERIG_CHECK_OK(words.end());
  if (cycles < 2)
    return usageError("cycles", "at least 2 are drawn");
  const uint64_t now = debugger.cycle(), begin = now - std::min(now, cycles / 2);
  return timelineText(debugger, tile, begin, begin + cycles);
}

Result<std::string> Console::faults(Words words) {
  TILERIG_CHECK_OK(words.end());
  std::string text;
  for (const Fault &fault : debugger.recordedRun().faults())
    text += (text.empty() ? "" : "\n") + describe(fault, debugger.program());
  return text.empty() ? "no faults so far" : text;
}

Result<std::optional<uint32_t>> Console::takeOptionalTile(Words &words) {
  if (words.empty())
    return std::optional<uint32_t>();
  TILERIG_TRY(const uint32_t tile, words.takeIndex("tile", debugger.program().tiles));
  TILERIG_CHECK_OK(words.end());
  return std::optional(tile);
}

} // namespace tilerig::emulator
