// How long the emulator takes for a program of the size of ResNet-50 on 64 tiles: to load it, to compute it,
// and to time it.
#include "emulator/Session.h"
#include "emulator/Timed/Timeline.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Timing/Traffic.h"
#include "tests/benchmarks/ResNetProgram.h"

#include <chrono>
#include <fmt/core.h>

using namespace tilerig;

static double millisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int main(int argc, char **argv) {
  const unsigned threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 2;
  auto now = std::chrono::steady_clock::now;
  Program program = test::resNetProgram();
  uint64_t macs = 0;
  const auto &tiles = std::get<DeviceStage>(program.stages[0].work).tiles;
  for (unsigned tile = 0; tile < tiles.size(); ++tile)
    for (const Instruction &it : tiles[tile])
      macs += macsOf(it);
  auto begin = now();
  if (Status status = prove(program); !status)
    return fmt::print("{}\n", status.error().message()), 1;
  fmt::print("prove {:.1f} ms, {:.2f} GMAC\n", millisecondsSince(begin), static_cast<double>(macs) * 1e-9);
  begin = now();
  const StageCosts costs = costsOfStage(program, 0);
  fmt::print("costs {:.1f} ms\n", millisecondsSince(begin));
  for (int i = 0; i < 3; ++i) {
    begin = now();
    const Timeline timeline = timeStage(costs, program, {});
    fmt::print("timeline {:.1f} ms, {} cycles\n", millisecondsSince(begin), timeline.end);
  }
  TensorMap inputs;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT) {
      Tensor value(*dtypeNamed(tensor.dtype()), Shape(tensor.shape().begin(), tensor.shape().end()));
      for (std::byte &byte : value.mutableBytes())
        byte = std::byte(rand());
      (void)inputs.add(tensor.name(), value);
    }
  begin = now();
  auto session = Session::load(std::move(program), {.threads = threads});
  if (!session)
    return fmt::print("{}\n", session.error().message()), 1;
  fmt::print("load {:.1f} ms\n", millisecondsSince(begin));
  for (int i = 0; i < 5; ++i) {
    begin = now();
    auto outputs = (*session)->run(inputs);
    if (!outputs)
      return fmt::print("{}\n", outputs.error().message()), 1;
    fmt::print("run {:.1f} ms\n", millisecondsSince(begin));
  }
}
