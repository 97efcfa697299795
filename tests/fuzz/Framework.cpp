// Fuzzer of programs in which the framework (an interpreter on the host) computes a part of the model. This
// part is a mutated ONNX model; the program must run, or end with an Error.
//
// An input is a serialised ONNX model. The program passes it tensors of the types and shapes that the model
// declares; now and then one of them has another type or shape.
#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Program/HostSignature.h"
#include "isa/Program/StoredType.h"
#include "tests/fuzz/Cases.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/support/Random.h"

#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

using namespace tilerig;
using test::Random;

namespace {

constexpr uint64_t mostElements = 1 << 12; // programs with larger tensors are skipped
constexpr uint64_t alignment = 64;

std::string nameOfOperand(const char *kind, int number) { return kind + std::to_string(number); }

// Adds the tensors that the framework reads or writes to the program, one after another in DDR from `address`
// on. Returns false if a tensor has no type of a fixed size, or too many elements.
bool addTensors(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> &operands,
                proto::TensorRole role, Program &program, uint64_t &address, Random &random) {
  const char *const kind = role == proto::INPUT ? "in" : "out";
  for (int i = 0; i < operands.size(); ++i) {
    const onnx::TypeProto::Tensor &declared = operands[i].type().tensor_type();
    auto type = dtypeOfOnnx(declared.elem_type());
    if (random.chance(3))
      type = static_cast<DType>(random.below(numDTypes));
    if (!type)
      return false;
    proto::Tensor &tensor = *program.metadata.add_tensors();
    tensor.set_name(nameOfOperand(kind, i));
    tensor.set_dtype(std::string(nameOf(*type)));
    tensor.set_stored_type(std::string(rawStoredType));
    tensor.set_role(role);
    uint64_t elements = 1;
    for (const auto &dimension : declared.shape().dim()) {
      const int64_t size = random.chance(3) ? random.between(0, 3) : dimension.dim_value();
      if (size < 0 || (elements *= static_cast<uint64_t>(size)) > mostElements)
        return false;
      tensor.add_shape(size);
    }
    if (elements == 0)
      continue;
    proto::Piece &piece = *tensor.add_pieces();
    piece.set_ddr(true);
    piece.set_address(address);
    uint64_t stride = sizeBytes(*type);
    for (const int64_t size : tensor.shape()) {
      piece.add_begin(0);
      piece.add_extent(size);
      piece.add_stride(0);
    }
    for (int axis = tensor.shape_size(); axis-- > 0; stride *= static_cast<uint64_t>(tensor.shape(axis)))
      piece.set_stride(axis, stride);
    address += (stride + alignment - 1) / alignment * alignment;
  }
  return true;
}

std::optional<Program> programWith(const onnx::ModelProto &model, Random &random) {
  auto assembly = parseAssembly(".machine tiny\n.metadata {\n  model: \"part\"\n"
                                "  layers { id: 0 name: \"part\" kind: \"Part\" where: \"framework\" }\n}\n"
                                ".stage \"part\" inference\n.host \"framework\" layer=0\n",
                                "fuzz");
  require(static_cast<bool>(assembly));
  Program program = std::move(assembly->program);
  proto::HostWork &work = std::get<proto::HostWork>(program.stages.front().work);
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(model, &text))
    return {};
  (*work.mutable_attributes())["model"].set_text(text);
  (*work.mutable_attributes())[std::string(frameworkOperations)].add_ints(1);
  uint64_t address = 0;
  if (!addTensors(model.graph().input(), proto::INPUT, program, address, random) ||
      !addTensors(model.graph().output(), proto::OUTPUT, program, address, random))
    return {};
  for (int i = 0; i < model.graph().input_size(); ++i)
    work.add_inputs(nameOfOperand("in", i));
  for (int i = 0; i < model.graph().output_size(); ++i)
    work.add_outputs(nameOfOperand("out", i));
  return program;
}

// Inputs with small numbers, most of which are valid as indices and counts.
TensorMap inputsOf(const Program &program, Random &random) {
  TensorMap inputs;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT) {
      Tensor input(*dtypeNamed(tensor.dtype()), Shape(tensor.shape().begin(), tensor.shape().end()));
      dispatch(input.dtype(), [&]<class T>() {
        if constexpr (std::is_arithmetic_v<T>)
          for (T &element : input.mutableAs<T>())
            element = static_cast<T>(random.below(3));
      });
      require(static_cast<bool>(inputs.add(tensor.name(), std::move(input))));
    }
  return inputs;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(data, static_cast<int>(size)))
    return 0;
  Random random(hashBytes(std::as_bytes(std::span(data, size))));
  std::optional<Program> program = programWith(model, random);
  if (!program || !prove(*program))
    return 0;
  const TensorMap inputs = inputsOf(*program, random);
  reference::RunOptions limits;
  limits.memoryLimit = 256 << 10;
  limits.nodeLimit = 2000;
  ReferenceFramework framework(1, limits);
  auto session = emulator::Session::load(*std::move(program), {.threads = 1, .framework = &framework});
  if (!session)
    return 0;
  const auto outputs = (*session)->run(inputs);
  require(outputs || !outputs.error().what.empty());
  return 0;
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  for (const std::string &model : fuzz::onnxCases())
    sink.add(model);
}
