// Example: compiles a model, and runs it on the emulator with random inputs.
//
// usage: compile-and-run MODEL.onnx OUTPUTS.npz
#include "compiler/Pipelines/CompileNetwork.h"
#include "emulator/Session.h"
#include "isa/Base/Tensor/SeededTensor.h"
#include "isa/Base/Tensor/TensorFiles.h"

#include <cstdio>

using namespace tilerig;

namespace {

// A random tensor for each input that the program takes.
Result<TensorMap> randomInputs(const Program &program) {
  TensorMap inputs;
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    if (tensor.role() != proto::INPUT)
      continue;
    const Shape shape(tensor.shape().begin(), tensor.shape().end());
    TILERIG_TRY(Tensor values, seededTensor(dtypeNamed(tensor.dtype()).value(), shape, 1, tensor.name()));
    TILERIG_CHECK_OK(inputs.add(tensor.name(), std::move(values)));
  }
  return inputs;
}

Status compileAndRun(const std::string &model, const std::string &outputs) {
  TILERIG_TRY(const compiler::OnnxFile file, compiler::OnnxFile::read(model));
  compiler::NetworkOptions options;
  TILERIG_TRY(options.machine, loadMachine("tr64"));
  TILERIG_TRY(compiler::CompiledNetwork network, compiler::compileNetwork(file, options));
  TILERIG_TRY(const TensorMap inputs, randomInputs(network.program));
  TILERIG_TRY(const auto session, emulator::Session::load(std::move(network.program), {}));
  TILERIG_TRY(const TensorMap computed, session->run(inputs));
  for (const auto &[name, tensor] : computed)
    std::printf("%s: %zu elements\n", name.c_str(), static_cast<size_t>(tensor.elementCount()));
  return writeTensors(outputs, computed);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: compile-and-run MODEL.onnx OUTPUTS.npz\n");
    return 2;
  }
  if (const Status done = compileAndRun(argv[1], argv[2]); !done) {
    std::fprintf(stderr, "%s\n", done.error().message().c_str());
    return 1;
  }
}
