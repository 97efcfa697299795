// Reads stop points from the words of `break` and `watch`.
#pragma once

#include "emulator/Debug/Console/Words.h"
#include "emulator/Debug/StopPoint.h"

namespace tilerig::emulator {

// `break layer NAME`, and the other forms that the help of the command lists.
Result<StopPoint> breakpointOf(Words words, const Program &program);
// `watch PLACE SIZE [read|write|both]` or `watch tensor NAME [read|write|both]`.
Result<StopPoint> watchpointOf(Words words, const Program &program);

// The layer with this name or number, which is counted from 1.
Result<uint32_t> layerNamed(const std::string &text, const Program &program);
// The thread on which instructions of an engine begin; takes TILE ENGINE.
Result<ThreadId> takeThread(Words &words, const Program &program);

} // namespace tilerig::emulator
