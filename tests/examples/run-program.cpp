// Example: runs a compiled program with inputs from a file, captures tensors of inner layers, and reads their
// elements.
//
// usage: run-program PROGRAM.trb INPUTS.npz
#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Session.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Program/Reader.h"

#include <algorithm>
#include <cstdio>

using namespace tilerig;

namespace {

Status run(const std::string &path, const std::string &inputs) {
  TILERIG_TRY(Program program, readProgram(path));
  TILERIG_TRY(const TensorMap values, readTensors(inputs));
  emulator::SessionOptions options;
  options.observation.captureAll = true;
  ReferenceFramework framework(0); // runs operators that neither accelerator nor host supports
  options.framework = &framework;
  TILERIG_TRY(const auto session, emulator::Session::load(std::move(program), options));
  TILERIG_TRY(const TensorMap outputs, session->run(values));
  // A session captures tensors as the device stores them; capturedAsModel() converts them to the types of the
  // model.
  TILERIG_TRY(const TensorMap captured, session->capturedAsModel());
  std::printf("%zu outputs, %zu tensors captured\n", outputs.size(), captured.size());
  for (const auto &[name, tensor] : captured)
    if (tensor.dtype() == DType::f32) {
      const auto elements = tensor.as<float>();
      std::printf("%s: %g to %g\n", name.c_str(), *std::ranges::min_element(elements),
                  *std::ranges::max_element(elements));
    }
  return success();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: run-program PROGRAM.trb INPUTS.npz\n");
    return 2;
  }
  if (const Status done = run(argv[1], argv[2]); !done) {
    std::fprintf(stderr, "%s\n", done.error().message().c_str());
    return 1;
  }
}
