#include "emulator/Observe/Trace.h"

#include "isa/Base/Support/Json.h"

#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

constexpr std::array<std::string_view, numThreadKinds> trackNames = {
    "sequencer", "pod", "pe", "dma_in read", "dma_in write", "dma_out read", "dma_out write"};

std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

} // namespace

void TraceWriter::addStage(const StageCosts &costs, const Timeline &timeline) {
  const StageThreads &threads = costs.threads;
  const auto &code = std::get<DeviceStage>(program.stages[threads.stage].work).tiles;
  auto out = std::back_inserter(events);
  for (ThreadId thread = 0; thread < threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || kindOf(thread) == ThreadKind::sequencer)
      continue;
    const unsigned tile = tileOfThread(thread);
    const auto &steps = threads.stepsOf(thread);
    for (size_t i = 0; i < steps.size(); ++i) {
      const StepTime &time = timeline.steps[thread][i];
      if (time.end == time.begin)
        continue;
      const Instruction &instruction = code[tile][steps[i].instruction];
      fmt::format_to(out,
                     ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{"
                     "{\"instruction\":{},\"layer\":{}}}}}",
                     tile, slotOf(thread), time.begin, time.end - time.begin, mnemonicOf(instruction),
                     steps[i].instruction, layerName(layerOf(instruction)));
    }
  }
}

// In the trace, the host is the process with the number after that of the last tile.
void TraceWriter::addHostStage(const proto::HostWork &work, uint64_t begin, uint64_t end) {
  fmt::format_to(
      std::back_inserter(events),
      ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":1,\"ts\":{},\"dur\":{},\"name\":{},\"args\":{{\"layer\":{}}}}}",
      program.tiles, begin, end - begin, quoted(work.kernel()), layerName(work.layer()));
}

std::string TraceWriter::layerName(uint32_t layer) const {
  const auto &layers = program.metadata.layers();
  return static_cast<int>(layer) < layers.size() ? quoted(layers[static_cast<int>(layer)].name())
                                                 : std::to_string(layer);
}

std::string TraceWriter::finish() && {
  std::string document = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  auto out = std::back_inserter(document);
  bool isFirst = true;
  for (unsigned tile = 0; tile < program.tiles; ++tile) {
    fmt::format_to(
        out, "{}{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"tile {}\"}}}}",
        isFirst ? "" : ",\n", tile, tile);
    isFirst = false;
    for (unsigned kind = 1; kind < numThreadKinds; ++kind)
      fmt::format_to(
          out,
          ",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}}",
          tile, kind, trackNames[kind]);
  }
  fmt::format_to(
      out,
      ",\n{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_name\",\"args\":{{\"name\":\"host\"}}}}"
      ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":1,\"name\":\"thread_name\",\"args\":{{\"name\":\"kernels\"}}}}",
      program.tiles);
  return document + events + "\n]}\n";
}

} // namespace tilerig::emulator
