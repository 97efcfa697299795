// What the debugger shows of the machine, as text.
#pragma once

#include "emulator/Debug/Debugger.h"

namespace tilerig::emulator {

// Why and where a run stopped.
std::string stopText(const Debugger &debugger, const Stop &stop);
std::string firstDifferenceText(const Debugger &debugger, const std::optional<FirstDifference> &found);
// The instruction of a place with its layer, and its text.
std::string instructionText(const Program &program, const Place &place);
// What comes next on a thread, or on the engines that work or wait at this moment.
std::string whereText(const Debugger &debugger, std::optional<ThreadId> focus);

// The instructions that begin in this cycle.
std::string beginningText(const Debugger &debugger);

// For what a thread waits; empty if it does not.
std::string waitText(const Debugger &debugger, const ThreadState &state);
// The engines of a tile or of all tiles: what they do, for what they wait, and their queues.
std::string enginesText(const Debugger &debugger, std::optional<uint32_t> tile);
std::string semaphoresText(const Debugger &debugger, std::optional<uint32_t> tile);
// What the engines of a tile do in the given cycles.
std::string timelineText(const Debugger &debugger, uint32_t tile, uint64_t begin, uint64_t end);
// How many steps of every thread have certainly ended when the next step of a thread begins, in every execution.
Result<std::string> clockText(const Debugger &debugger, ThreadId thread);

// Elements of a memory, a line for every 16 bytes; bytes that have not been written are shown as "--".
std::string memoryText(const Debugger &debugger, const Location &location, uint64_t count,
                       std::optional<ElementType> type);
// When a tensor is written, if it is not complete now or something else may lie in its memory; ends with a newline.
std::string tensorNote(const Debugger &debugger, const std::string &name);
// The chain of writers of a byte.
std::string writersText(const Debugger &debugger, const WriterChain &chain);
// Where an instruction comes from: its layer, the ONNX nodes, and what the compiler decided.
std::string sourceText(const Program &program, const Place &place);

std::string layersText(const Program &program);
std::string tensorsText(const Program &program);
std::string stopPointsText(const Debugger &debugger);

} // namespace tilerig::emulator
