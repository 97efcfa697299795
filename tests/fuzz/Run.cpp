// Fuzzer of the emulator with mutated programs: a program that the analyser proves free of races must run, or
// end with an Error.
//
// An input is an assembly text; if it does not parse, a sample program with a host stage is used. The program
// is run unchanged and then with a few edits: operands of the host operator dropped, repeated, swapped or
// given another shape or type, attributes changed, instructions left out or swapped. Only programs that
// satisfy the rules of the file format and that the analyser proves free of races are run.
#include "emulator/Observe/TimedRun.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "isa/RunPlan/RunPlan.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/support/Programs/HostSamples.h"
#include "tests/support/Random.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tilerig;
using namespace tilerig::emulator;
using test::Random;

namespace {

// Limits on the memory and time of a run; programs with larger tensors or more instructions are skipped.
constexpr uint64_t mostElements = 1 << 14, mostInstructions = 2000;

// Whether the tensor is small enough. A size that overflows counts as small: other code must refuse it.
bool isSmall(const proto::Tensor &tensor) {
  const auto bytes = sizeBytesOf(DType::u8, Shape(tensor.shape().begin(), tensor.shape().end()));
  return !bytes || *bytes <= mostElements;
}

bool isSmall(const Program &program) {
  uint64_t instructions = 0;
  for (const Stage &stage : program.stages)
    if (const auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const auto &tile : device->tiles)
        instructions += tile.size();
  return instructions <= mostInstructions &&
         std::ranges::all_of(program.metadata.tensors(), [](const auto &tensor) { return isSmall(tensor); });
}

// --- edits ---

using Names = google::protobuf::RepeatedPtrField<std::string>;

void editNames(Names &names, Names &others, const Program &program, Random &random) {
  const auto any = [&](const Names &list) {
    return static_cast<int>(random.below(static_cast<uint64_t>(list.size())));
  };
  if (names.empty())
    return;
  const int at = any(names);
  switch (random.below(6)) {
  case 0:
    names.DeleteSubrange(at, 1);
    return;
  case 1:
    names[at].clear();
    return;
  case 2:
    names.Add(std::string(names[at]));
    return;
  case 3:
    names.SwapElements(at, any(names));
    return;
  case 4:
    if (!others.empty())
      std::swap(names[at], others[any(others)]);
    return;
  default:
    if (!program.metadata.tensors().empty())
      names[at] = random.pick(program.metadata.tensors()).name();
  }
}

void editAttributes(proto::HostWork &work, Random &random) {
  const std::string name = random.pick({"axis", "k", "largest", "batch_dims", "time_axis", "batch_axis",
                                        "layout", "direction", "reduction", "hidden_size", "input_forget",
                                        "linear_before_reset", "max_output_boxes_per_class", "iou_threshold",
                                        "score_threshold", "center_point_box", "activations"});
  proto::Attribute &attribute = (*work.mutable_attributes())[name];
  attribute.Clear();
  switch (random.below(4)) {
  case 0:
    attribute.add_floats(random.pick({0.0f, 0.5f, -1.0f, HUGE_VALF, NAN}));
    break;
  case 1:
    attribute.set_text(random.pick({"reverse", "bidirectional", "add", "mul", "max", "min", "none", ""}));
    break;
  default:
    attribute.add_ints(random.chance(80) ? random.between(-3, 6)
                                         : random.pick({INT64_MIN, INT64_MAX, int64_t{1} << 32}));
  }
  if (random.chance(10))
    attribute.add_ints(0);
}

// Changes the type or the shape of a tensor. A new type is set for both the host and the accelerator, because
// a mismatch of the two would be refused at once.
void editTensor(proto::Tensor &tensor, Random &random) {
  if (random.chance(30)) {
    const auto [type, stored] =
        random.pick({std::pair("float32", "fp32"), std::pair("float16", "fp16"), std::pair("int64", "i32"),
                     std::pair("int32", "i32"), std::pair("int8", "i8"), std::pair("bool", "u8")});
    tensor.set_dtype(type);
    tensor.set_stored_type(stored);
    return;
  }
  auto &shape = *tensor.mutable_shape();
  if (random.chance(10))
    shape.Add(random.between(0, 3));
  else if (!shape.empty() && random.chance(10))
    shape.RemoveLast();
  else if (!shape.empty())
    shape[static_cast<int>(random.below(static_cast<uint64_t>(shape.size())))] =
        random.chance(90) ? random.between(0, 9)
                          : random.pick({int64_t{1} << 20, int64_t{1} << 40, INT64_MAX});
  // A piece is a box of the tensor that lies in one place in memory. Replaces each piece by the whole tensor,
  // stored without gaps, so that the pieces fit the new shape.
  for (proto::Piece &piece : *tensor.mutable_pieces()) {
    piece.mutable_begin()->Clear();
    piece.mutable_extent()->Clear();
    piece.mutable_stride()->Clear();
    int64_t stride = tensor.stored_type() == "i8" || tensor.stored_type() == "u8" ? 1
                     : tensor.stored_type() == "fp16"                             ? 2
                                                                                  : 4;
    for (int i = 0; i < shape.size(); ++i) {
      piece.add_begin(0);
      piece.add_extent(shape[i]);
      piece.add_stride(0);
    }
    for (int i = shape.size(); i-- > 0;) {
      piece.set_stride(i, stride);
      if (shape[i] > 0 && __builtin_mul_overflow(stride, shape[i], &stride))
        return;
    }
  }
}

void editInstructions(std::vector<Instruction> &code, Random &random) {
  if (code.size() < 2) // code of one instruction is a single halt, which stays unchanged
    return;
  const auto any = [&] { return random.below(code.size() - 1); };
  if (random.chance(50))
    code.erase(code.begin() + static_cast<std::ptrdiff_t>(any()));
  else
    std::swap(code[any()], code[any()]);
}

void edit(Program &program, Random &random) {
  if (random.chance(20) && !program.metadata.tensors().empty()) {
    auto &tensors = *program.metadata.mutable_tensors();
    return editTensor(tensors[static_cast<int>(random.below(static_cast<uint64_t>(tensors.size())))], random);
  }
  if (program.stages.empty())
    return;
  if (random.chance(5))
    return std::swap(program.stages[random.below(program.stages.size())],
                     program.stages[random.below(program.stages.size())]);
  Stage &stage = program.stages[random.below(program.stages.size())];
  if (auto *device = std::get_if<DeviceStage>(&stage.work)) {
    if (!device->tiles.empty())
      editInstructions(device->tiles[random.below(device->tiles.size())], random);
    return;
  }
  proto::HostWork &work = std::get<proto::HostWork>(stage.work);
  if (random.chance(5))
    work.set_kernel(std::string(random.pick(hostSignatures()).name));
  else if (random.chance(40))
    editAttributes(work, random);
  else if (random.chance(60))
    editNames(*work.mutable_inputs(), *work.mutable_outputs(), program, random);
  else
    editNames(*work.mutable_outputs(), *work.mutable_inputs(), program, random);
}

// --- runs ---

// Random inputs: small numbers, most of which are valid as indices, lengths and counts; and a few at the
// limits of the type.
std::optional<TensorMap> inputsOf(const Program &program, Random &random) {
  TensorMap inputs;
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    if (tensor.role() != proto::INPUT)
      continue;
    auto input =
        Tensor::make(*dtypeNamed(tensor.dtype()), Shape(tensor.shape().begin(), tensor.shape().end()));
    if (!input)
      return {};
    const bool atEdges = random.chance(20);
    dispatch(input->dtype(), [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>)
        for (T &element : input->mutableAs<T>()) {
          if constexpr (std::is_floating_point_v<T>)
            element = static_cast<T>(random.between(-1000, 1000)) / 500;
          else
            element = static_cast<T>(random.below(3));
          if (std::is_integral_v<T> && !std::is_same_v<T, bool> && atEdges && random.chance(30))
            element = random.pick({std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()});
        }
    });
    if (!inputs.add(tensor.name(), *std::move(input)))
      return {};
  }
  return inputs;
}

// Stores the run plan of a proved program in it; the bytes of every other plan are damaged.
void planRunOf(Program &program, Random &random) {
  storeRunPlan(program);
  if (!program.runPlan || random.chance(50))
    return;
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(program.runPlan->bytes.begin(), program.runPlan->bytes.end());
  for (int i = 0; i < 3; ++i)
    (*bytes)[random.below(bytes->size())] = static_cast<std::byte>(random.below(256));
  program.runPlan->bytes = *bytes;
  program.runPlan->owner = bytes;
}

void proveAndRun(Program program, Random &random) {
  if (!isSmall(program) || !prove(program))
    return;
  if (random.chance(60))
    planRunOf(program, random);
  auto file = serialiseProgram(program);
  if (!file)
    return;
  auto read = parseProgramFile(*file, nullptr, "fuzz");
  require(static_cast<bool>(read));
  const auto inputs = inputsOf(program, random);
  auto session = Session::load(*std::move(read), {.threads = 1});
  if (!session || !inputs)
    return;
  auto outputs = (*session)->run(*inputs);
  if (!outputs)
    require((*session)->fault() || !outputs.error().what.empty());
  timeProgram((*session)->program(), {});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  Random random(hashBytes(std::as_bytes(std::span(data, size))));
  auto assembly = parseAssembly(text, "fuzz", {.unfoldedBytes = 1 << 20});
  if (!assembly)
    assembly = parseAssembly(test::textOf(random.pick(test::hostSamples())), "fuzz");
  proveAndRun(assembly->program, random);
  for (int i = 0; i < 4; ++i) {
    Program edited = assembly->program;
    for (uint64_t edits = random.between(1, 3); edits > 0; --edits)
      edit(edited, random);
    proveAndRun(std::move(edited), random);
  }
  return 0;
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  for (const test::HostSample &sample : test::hostSamples())
    sink.add(test::textOf(sample));
}
