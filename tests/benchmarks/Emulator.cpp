// The emulator process of `scripts/bench emulator` and `scripts/bench kernels`: loads a program, then runs it once for
// every line read from standard input and answers each line with the wall time and the processor time in milliseconds. At
// end of input it prints its peak memory in MiB. With --profile it runs ten times without reading input.
//
// usage: tilerig-emulator-benchmark PROGRAM fast|timed THREADS [INPUTS.npz | --profile]
//        PROGRAM: FILE.trb, resnet50-i8 or resnet50-fp16; resnet50-i8-16 runs on 16 tiles instead of 64
//        INPUTS.npz: otherwise the inputs are random
#include "emulator/Observe/TimedRun.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Machine/BuiltIn.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Program/Reader.h"
#include "tests/benchmarks/SplitNetwork.h"
#include "tests/support/Random.h"

#include <chrono>
#include <ctime>
#include <fmt/core.h>
#include <iostream>
#include <sys/resource.h>

using namespace tilerig;
using namespace tilerig::emulator;
using Clock = std::chrono::steady_clock;

namespace {

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// Builds the ResNet-50 program called `name`, which is split over tiles by hand. With fewer than 64 tiles,
// each tile gets a larger OCM, so that their total stays that of 64 tiles; otherwise the network does not
// fit.
Result<Program> splitResNet(const std::string &name) {
  const ElementType type = name.starts_with("resnet50-i8") ? ElementType::i8 : ElementType::fp16;
  const size_t dash = name.find('-', name.find('-') + 1);
  const unsigned tiles =
      dash == std::string::npos ? 64 : static_cast<unsigned>(std::stoul(name.substr(dash + 1)));
  TILERIG_TRY(Machine machine, loadMachine("tr64"));
  if (tiles < 64)
    machine.tile.ocmBytes = 1 << 26;
  TILERIG_TRY(Program program, test::splitProgram(test::resNet50(tiles), machine, tiles, type));
  TILERIG_CHECK_OK(prove(program));
  return program;
}

TensorMap inputsOf(const Program &program) {
  TensorMap inputs;
  test::Random random(1);
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT) {
      Tensor value(*dtypeNamed(tensor.dtype()), Shape(tensor.shape().begin(), tensor.shape().end()));
      dispatch(value.dtype(), [&]<class T>() {
        for (T &element : value.mutableAs<T>())
          if constexpr (std::is_same_v<T, Float16>)
            element = {fp16FromFloat(static_cast<float>(random.between(-1000, 1000)) * 0.002f).bits};
          else
            element = static_cast<T>(random.between(-100, 100));
      });
      (void)inputs.add(tensor.name(), value);
    }
  return inputs;
}

Status measure(const std::string &name, bool timed, unsigned threads, const std::string &inputFile,
               bool profile) {
  auto begin = Clock::now();
  std::clock_t processor = std::clock();
  const auto lap = [&](const char *phase) {
    if (profile)
      fmt::print("{:16} {:9.1f} ms, {:9.1f} ms of processor time\n", phase,
                 milliseconds(Clock::now() - begin),
                 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
    begin = Clock::now();
    processor = std::clock();
  };
  TILERIG_TRY(Program program, name.starts_with("resnet50-") ? splitResNet(name) : readProgram(name));
  lap("make and prove");
  TILERIG_TRY(auto session, Session::load(std::move(program), {.threads = threads}));
  lap("load");
  const Program &loaded = session->program();
  TILERIG_TRY(const TensorMap inputs,
              inputFile.empty() ? Result<TensorMap>(inputsOf(loaded)) : readTensors(inputFile));
  TimedRuns timedRuns(*session, {});
  const auto runOnce = [&]() -> Status {
    if (timed) {
      TILERIG_TRY([[maybe_unused]] const TimedRun run, timedRuns.run(inputs));
    } else {
      TILERIG_TRY([[maybe_unused]] const TensorMap outputs, session->run(inputs));
    }
    return success();
  };
  for (int i = 0; i < 2; ++i)
    TILERIG_CHECK_OK(runOnce());
  if (profile) {
    for (int i = 0; i < 10; ++i) {
      TILERIG_CHECK_OK(runOnce());
      lap("run");
    }
    return success();
  }
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    begin = Clock::now();
    processor = std::clock();
    TILERIG_CHECK_OK(runOnce());
    std::cout << milliseconds(Clock::now() - begin) << ' '
              << 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC << std::endl;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::cout << usage.ru_maxrss / 1024 << std::endl;
  return success();
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    fmt::print(stderr, "usage: {} PROGRAM fast|timed THREADS [INPUTS.npz | --profile]\n", argv[0]);
    return 2;
  }
  const std::string last = words.size() > 3 ? words[3] : "";
  const bool profile = last == "--profile";
  const Status status =
      measure(words[0], words[1] == "timed", static_cast<unsigned>(std::atoi(words[2].c_str())),
              profile ? "" : last, profile);
  if (!status) {
    fmt::print(stderr, "{}\n", status.error().message());
    return static_cast<int>(exitCodeOf(status.error().kind));
  }
  return 0;
}
