#include "tests/support/Programs/SampleProgram.h"

#include "tests/support/RandomInstruction.h"

#include <algorithm>
#include <limits>
#include <string>

namespace tilerig::test {

namespace {

// Names as exporters make them: slashes, quotes, other scripts, a control character.
std::string randomName(Random &random, size_t number) {
  static const std::vector<std::string> stems = {"conv",    "/layer1/0/relu", "été",  "層",
                                                 "a \"b\"", "\x01",           "🙂x"};
  return random.pick(stems) + "." + std::to_string(number);
}

float oddFloat(Random &random) {
  return random.pick({0.0f, -0.0f, 1.5f, std::numeric_limits<float>::denorm_min(),
                      std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()});
}

class Sampler {
public:
  Sampler(Random &random, const Machine &machine, const SampleLimits &limits)
      : random(random), limits(limits) {
    program.machine = machine;
    program.tiles = 1 + static_cast<unsigned>(random.below(std::min(limits.tiles, machine.network.tiles)));
  }

  Program sample() {
    addTexts();
    addLayers();
    addStages();
    addTensors();
    addHostOperands();
    addConstants();
    addDebug();
    if (random.chance(50))
      addProof(program);
    return std::move(program);
  }

private:
  proto::Metadata &metadata() { return program.metadata; }
  uint32_t anyLayer() { return static_cast<uint32_t>(random.below(std::max(1, metadata().layers_size()))); }
  uint32_t anyStage() { return static_cast<uint32_t>(random.below(program.stages.size())); }

  void addTexts() {
    metadata().set_producer(random.chance(50) ? "tilerig 0.1" : "");
    metadata().set_model(randomName(random, 0));
    metadata().set_allow_unproved(random.chance(50));
    metadata().set_ddr_relocatable(random.chance(50));
    for (uint64_t count = random.below(3), i = 0; i < count; ++i) {
      metadata().add_injected("bug=" + std::to_string(i));
      proto::Document &document = *metadata().add_documents();
      document.set_name(randomName(random, i));
      document.set_media_type("text/plain");
      document.set_text(std::string("\xff\x00\n", 3)); // a document stored in a program may hold any bytes
    }
  }

  void addLayers() {
    for (uint64_t count = random.below(4), i = 0; i < count; ++i) {
      proto::Layer &layer = *metadata().add_layers();
      layer.set_id(static_cast<uint32_t>(i));
      layer.set_name(randomName(random, i));
      layer.set_where(random.chance(80) ? "accelerator" : "host");
      layer.set_macs(random.next());
      layer.add_onnx_nodes("");
      for (const char *key : {"tiles", "", "split", "Z", "é"})
        (*layer.mutable_decisions())[key] = randomName(random, i);
    }
  }

  void addStages() {
    Phase phase = random.chance(50) ? Phase::initial : Phase::inference;
    for (uint64_t count = 1 + random.below(limits.stages), i = 0; i < count; ++i) {
      if (phase != Phase::finishing && random.chance(30))
        phase = static_cast<Phase>(static_cast<int>(phase) + 1);
      Stage stage{randomName(random, i), phase, DeviceStage()};
      if (i > 0 && random.chance(25))
        stage.work = hostWork();
      else
        for (unsigned tile = 0; tile < program.tiles; ++tile)
          std::get<DeviceStage>(stage.work).tiles.push_back(code(tile));
      program.stages.push_back(std::move(stage));
    }
  }

  std::vector<Instruction> code(unsigned tile) {
    std::vector<Instruction> instructions;
    for (uint64_t count = random.below(limits.instructions + 1); instructions.size() < count;)
      if (auto instruction = randomInstruction(random, {program.machine, tile, program.tiles});
          !std::holds_alternative<Halt>(instruction))
        instructions.push_back(instruction);
    instructions.push_back(Halt());
    for (Instruction &instruction : instructions)
      std::visit([&](auto &typed) { typed.layer = anyLayer(); }, instruction);
    return instructions;
  }

  proto::HostWork hostWork() {
    proto::HostWork work;
    work.set_kernel("TopK");
    work.set_layer(anyLayer());
    for (const char *key : {"b", "a", "aa", ""}) {
      proto::Attribute &attribute = (*work.mutable_attributes())[key];
      attribute.add_ints(static_cast<int64_t>(random.next()));
      attribute.add_floats(oddFloat(random));
      attribute.set_text(randomName(random, 0));
    }
    return work;
  }

  void addTensors() {
    for (uint64_t count = random.below(limits.tensors + 1), i = 0; i < count; ++i) {
      proto::Tensor &tensor = *metadata().add_tensors();
      tensor.set_name(randomName(random, i));
      tensor.set_dtype(random.pick({"float32", "float16", "bfloat16", "int64", "bool"}));
      tensor.set_role(random.pick({proto::INTERMEDIATE, proto::INPUT, proto::OUTPUT}));
      auto stored = random.pick(
          {ElementType::i8, ElementType::u8, ElementType::i9, ElementType::fp16, ElementType::fp32});
      tensor.set_stored_type(std::string(EnumNames<ElementType>::values[static_cast<size_t>(stored)]));
      if (isQuantised(stored) && random.chance(80)) {
        tensor.set_scale(0.25f);
        tensor.set_zero_point(static_cast<int32_t>(random.below(128)));
      }
      for (uint64_t rank = random.below(5), d = 0; d < rank; ++d)
        tensor.add_shape(random.between(1, 7));
      tensor.set_layer(anyLayer());
      tensor.set_stage(anyStage());
      bool ddr = tensor.role() != proto::INTERMEDIATE || random.chance(50);
      for (uint64_t pieces = random.between(1, 3), p = 0; p < pieces; ++p)
        addPiece(tensor, ddr, sizeBytes(stored));
    }
  }

  // Adds a piece of the tensor: a random box whose dimensions are nested in memory in a random order, with
  // random gaps.
  void addPiece(proto::Tensor &tensor, bool ddr, uint64_t elementBytes) {
    proto::Piece &piece = *tensor.add_pieces();
    piece.set_ddr(ddr);
    piece.set_tile(ddr ? 0 : static_cast<uint32_t>(random.below(program.tiles)));
    std::vector<int> order;
    for (int d = 0; d < tensor.shape_size(); ++d) {
      int64_t begin = random.between(0, tensor.shape(d) - 1);
      piece.add_begin(begin);
      piece.add_extent(random.between(1, tensor.shape(d) - begin));
      piece.add_stride(0);
      order.push_back(d);
    }
    random.shuffle(order);
    uint64_t stride = elementBytes;
    for (int d : order) {
      stride += elementBytes * random.below(2);
      piece.set_stride(d, stride);
      stride *= static_cast<uint64_t>(piece.extent(d));
    }
    uint64_t memory = ddr ? program.machine.ddr.sizeBytes : program.machine.tile.ocmBytes;
    piece.set_address(random.below((memory - stride) / elementBytes) * elementBytes);
  }

  // Host operators get tensors of their own as operands, because their types and ranks have to fit.
  void addHostOperands() {
    for (Stage &stage : program.stages)
      if (auto *work = std::get_if<proto::HostWork>(&stage.work)) {
        work->add_inputs(addHostTensor("float32"));
        if (random.chance(50))
          work->add_inputs(""); // an empty name stands for an absent optional input
        work->add_outputs(addHostTensor("float32"));
        if (random.chance(50))
          work->add_outputs(addHostTensor("int64"));
      }
  }

  std::string addHostTensor(const char *dtype) {
    proto::Tensor &tensor = *metadata().add_tensors();
    tensor.set_name(randomName(random, static_cast<size_t>(metadata().tensors_size())));
    tensor.set_dtype(dtype);
    tensor.set_stored_type(dtype == std::string_view("int64") ? "i32" : "fp16");
    tensor.set_layer(anyLayer());
    tensor.set_stage(anyStage());
    for (int d = 0; d < 2; ++d)
      tensor.add_shape(random.between(1, 7));
    addPiece(tensor, true, 4);
    return tensor.name();
  }

  void addConstants() {
    uint64_t address = 0;
    for (uint64_t count = random.below(limits.constants + 1), i = 0; i < count; ++i) {
      address += random.below(3) * 64;
      std::vector<std::byte> bytes(1 + random.below(limits.constantBytes));
      for (std::byte &byte : bytes)
        byte = static_cast<std::byte>(random.next());
      size_t size = bytes.size();
      program.constants.push_back(constantOf(address, std::move(bytes)));
      address += size;
    }
  }

  void addDebug() {
    for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
      if (auto *device = std::get_if<DeviceStage>(&program.stages[stage].work); device && random.chance(50)) {
        proto::DebugRange &range = *metadata().add_debug();
        range.set_layer(anyLayer());
        range.set_primitive("compute");
        range.set_stage(stage);
        range.set_tile(static_cast<uint32_t>(random.below(program.tiles)));
        range.set_end(static_cast<uint32_t>(device->tiles[range.tile()].size()));
        range.set_begin(static_cast<uint32_t>(random.below(range.end())));
      }
  }

  Random &random;
  const SampleLimits &limits;
  Program program;
};

} // namespace

Program sampleProgram(Random &random, const Machine &machine, const SampleLimits &limits) {
  return Sampler(random, machine, limits).sample();
}

ConstantData constantOf(uint64_t address, std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {address, *owner, owner};
}

void addProof(Program &program) {
  proto::Proof proof;
  proof.set_analyser_version(analyserVersion);
  proof.set_machine_hash(hashMachine(program.machine));
  proof.set_content_hash(hashContent(program));
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (auto *device = std::get_if<DeviceStage>(&program.stages[stage].work))
      for (uint32_t tile = 0; tile < program.tiles; ++tile) {
        proto::Wide wide;
        wide.set_stage(stage);
        wide.set_tile(tile);
        for (uint32_t i = 0; i < device->tiles[tile].size(); ++i)
          if (isProduct(device->tiles[tile][i]))
            wide.add_instructions(i);
        if (wide.instructions_size() > 0)
          *proof.add_wide() = wide;
      }
  program.proof = proof;
}

Program smallestProgram(const Machine &machine) {
  Program program;
  program.machine = machine;
  program.tiles = 2;
  program.stages.push_back(
      {"main", Phase::inference, DeviceStage{{{Sync{0, Engine::pod, Engine::dmaIn, 1}, Halt()}, {Halt()}}}});
  program.constants.push_back(constantOf(128, {std::byte{1}, std::byte{2}, std::byte{3}}));
  proto::Layer &layer = *program.metadata.add_layers();
  layer.set_name("conv1");
  layer.set_where("accelerator");
  proto::Tensor &tensor = *program.metadata.add_tensors();
  tensor.set_name("input");
  tensor.set_dtype("float32");
  tensor.set_stored_type("fp16");
  tensor.set_role(proto::INPUT);
  proto::Piece &piece = *tensor.add_pieces();
  piece.set_ddr(true);
  piece.set_address(4096);
  for (int64_t size : {2, 3}) {
    tensor.add_shape(size);
    piece.add_begin(0);
    piece.add_extent(size);
    piece.add_stride(size == 2 ? 6 : 2);
  }
  return program;
}

} // namespace tilerig::test
