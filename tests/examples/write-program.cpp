// Example: writes a program by hand, proves that it is free of races, and runs it. The program adds one
// vector to another: it loads both into the memory of a tile, adds them, and stores the sum. Without the
// waiting between these steps the proof fails, and says why.
//
// usage: write-program
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"

#include <cstdio>
#include <vector>

using namespace tilerig;

namespace {

const char *const text = R"(.machine tiny
.input "a" float32 [8] ddr[0x1000]
.input "b" float32 [8] ddr[0x2000]
.output "sum" float32 [8] ddr[0x3000]

    load source=fp32 ddr[0x1000] <8> destination=fp32 ocm[0x0] <8>
    load source=fp32 ddr[0x2000] <8> destination=fp32 ocm[0x40] <8>
    sync engine=pe on=dma_in
    binary function=add a=fp32 ocm[0x0] <8> b=fp32 ocm[0x40] <8> output=fp32 ocm[0x80] <8>
    sync engine=dma_out on=pe
    store source=fp32 ocm[0x80] <8> destination=fp32 ddr[0x3000] <8>
    halt
)";

// A copy of the program without its instructions of type T.
template <class T>
Program without(Program program) {
  auto &code = std::get<DeviceStage>(program.stages[0].work).tiles[0];
  std::erase_if(code, [](const Instruction &instruction) { return std::holds_alternative<T>(instruction); });
  return program;
}

Status tryProgram() {
  TILERIG_TRY(Program program, parseProgram(text, "example"));
  Program unordered = without<Sync>(program);
  if (const Status proved = prove(unordered); !proved)
    std::printf("without waiting: %s\n", proved.error().message().c_str());
  TILERIG_CHECK_OK(prove(program));
  TILERIG_TRY(const auto session, emulator::Session::load(std::move(program), {}));
  TensorMap inputs;
  TILERIG_CHECK_OK(inputs.add("a", Tensor::of<float>({8}, {0, 1, 2, 3, 4, 5, 6, 7})));
  TILERIG_CHECK_OK(inputs.add("b", Tensor::of<float>({8}, {10, 10, 10, 10, 20, 20, 20, 20})));
  TILERIG_TRY(const TensorMap outputs, session->run(inputs));
  TILERIG_TRY(const Tensor *sum, outputs.get("sum"));
  for (const float element : sum->as<float>())
    std::printf("%g ", element);
  std::printf("\n");
  return success();
}

} // namespace

int main() {
  if (const Status done = tryProgram(); !done) {
    std::fprintf(stderr, "%s\n", done.error().message().c_str());
    return 1;
  }
}
