#include "compiler/Isa/IR/Programs.h"

#include "compiler/Isa/IR/Messages.h"
#include "isa/Program/Canonical.h"
#include "isa/Program/DebugRanges.h"
#include "isa/Program/Verify.h"

#include <fmt/core.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectResourceBlobManager.h>

namespace tilerig::compiler::isa {

namespace {

constexpr std::array<std::string_view, 3> phaseNames = {"initial", "inference", "finishing"};

std::string machineText(const Machine &machine) {
  const auto names = builtInMachines();
  if (std::ranges::find(names, machine.name) != names.end())
    if (const auto builtIn = loadMachine(machine.name); builtIn && *builtIn == machine)
      return machine.name;
  return printMachine(machine);
}

// Whether the text of the program can omit the instruction ranges of its metadata, because they are equal to
// those that the compiler computes from the instructions.
bool hasUsualRanges(const Program &program) {
  Program bare;
  bare.stages = program.stages;
  describeRanges(bare);
  proto::Metadata metadata;
  *metadata.mutable_debug() = program.metadata.debug();
  return metadata.debug_size() > 0 && serialiseCanonically(metadata) == serialiseCanonically(bare.metadata);
}

// Converts a Protobuf message to a dictionary, without those fields that the operation states as attributes
// of their own.
template <class Message, class... Clear>
mlir::DictionaryAttr dictionaryWithout(mlir::MLIRContext *context, Message message, Clear... clear) {
  ((message.*clear)(), ...);
  return dictionaryOf(context, message);
}

mlir::ElementsAttr bytesAttr(mlir::MLIRContext *context, const ConstantData &constant) {
  const llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(constant.bytes.data()),
                                   constant.bytes.size());
  const auto type =
      mlir::RankedTensorType::get({static_cast<int64_t>(bytes.size())}, mlir::IntegerType::get(context, 8));
  auto owner = constant.owner;
  return mlir::DenseResourceElementsAttr::get(
      type, "constants",
      mlir::UnmanagedAsmResourceBlob::allocateWithAlign(
          bytes, 1, [owner](void *, size_t, size_t) mutable { owner.reset(); }));
}

std::vector<std::byte> bytesOf(mlir::ElementsAttr elements) {
  llvm::ArrayRef<char> from;
  if (const auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(elements))
    from = resource.getRawHandle().getBlob()->getData();
  else
    from = llvm::cast<mlir::DenseElementsAttr>(elements).getRawData();
  std::vector<std::byte> bytes(static_cast<size_t>(elements.getNumElements()));
  // A splat attribute stores a single element, because all elements are equal.
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(from[from.size() == 1 ? 0 : i]);
  return bytes;
}

class ProgramReader {
public:
  explicit ProgramReader(ProgramOp source) : source(source) {}

  Result<Program> read() {
    TILERIG_TRY(program.machine, machineOf(source));
    program.tiles = source.getTiles();
    if (const auto about = source.getAbout()) {
      // Fields of the metadata that are computed when a program file is written. The text must not state
      // values for them in the attribute `about`, since the values would be lost.
      for (const char *own :
           {"machine", "tiles", "model", "stages", "constants", "tensors", "layers", "proof"})
        if (about->get(own))
          return invalidInput(
              "about",
              fmt::format("field '{}' must be absent, because it is computed from the program's operations",
                          own),
              "leave it out");
      if (const Status status = readDictionary(*about, program.metadata); !status)
        return status.error().within("about");
    }
    program.metadata.set_model(source.getName().str());
    for (mlir::Operation &operation : source.getBody().front())
      TILERIG_CHECK_OK(readPart(operation));
    if (source.getRanges())
      describeRanges(program);
    TILERIG_CHECK_OK(verifyProgram(program));
    return std::move(program);
  }

private:
  Status readPart(mlir::Operation &operation) {
    if (const auto layer = llvm::dyn_cast<LayerOp>(operation))
      return readLayer(layer);
    if (auto tensor = llvm::dyn_cast<TensorOp>(operation)) {
      proto::Tensor &to = *program.metadata.add_tensors();
      to.set_name(tensor.getName().str());
      const Status status = readDictionary(tensor.getAbout(), to);
      return status ? success() : Status(status.error().within(fmt::format("tensor '{}'", to.name())));
    }
    if (auto constant = llvm::dyn_cast<ConstantOp>(operation)) {
      const auto bytes = std::make_shared<std::vector<std::byte>>(bytesOf(constant.getBytes()));
      program.constants.push_back({constant.getAddress(), *bytes, bytes});
      return success();
    }
    if (const auto stage = llvm::dyn_cast<StageOp>(operation))
      return readStage(stage);
    return invalidInput(operation.getName().getStringRef().str(),
                        "this operation is not allowed in a program");
  }

  Status readLayer(LayerOp layer) {
    proto::Layer &to = *program.metadata.add_layers();
    to.set_id(layer.getNumber());
    to.set_name(layer.getName().str());
    const Status status = readDictionary(layer.getAbout(), to);
    return status ? success() : Status(status.error().within(fmt::format("layer '{}'", to.name())));
  }

  Status readStage(StageOp stage) {
    Stage to{.name = stage.getName().str(), .phase = phaseOf(stage.getPhase()), .work = DeviceStage()};
    mlir::Block &body = stage.getBody().front();
    if (!body.empty() && llvm::isa<HostOp>(body.front())) {
      auto host = llvm::cast<HostOp>(body.front());
      proto::HostWork &work = to.work.emplace<proto::HostWork>();
      work.set_kernel(host.getKernel().str());
      if (const Status status = readDictionary(host.getAbout(), work); !status)
        return status.error().within(fmt::format("stage '{}'", to.name));
    } else {
      auto &tiles = std::get<DeviceStage>(to.work).tiles;
      tiles.assign(program.tiles, {});
      for (mlir::Operation &operation : body) {
        auto tile = llvm::dyn_cast<TileOp>(operation);
        if (!tile)
          return invalidInput(fmt::format("stage '{}'", to.name),
                              fmt::format("'{}' is not an instruction list of a tile",
                                          operation.getName().getStringRef().str()));
        for (mlir::Operation &instruction : tile.getBody().front())
          tiles[tile.getTile()].push_back(instructionOf(&instruction));
      }
      for (auto &code : tiles)
        if (code.empty())
          code.push_back(Halt{});
    }
    program.stages.push_back(std::move(to));
    return success();
  }

  static Phase phaseOf(llvm::StringRef name) {
    return static_cast<Phase>(std::ranges::find(phaseNames, std::string_view(name)) - phaseNames.begin());
  }

  ProgramOp source;
  Program program;
};

} // namespace

mlir::Location locationOf(mlir::MLIRContext *context, const proto::Layer &layer) {
  llvm::SmallVector<mlir::Location> nodes;
  for (const std::string &node : layer.onnx_nodes())
    nodes.push_back(mlir::NameLoc::get(mlir::StringAttr::get(context, node)));
  if (nodes.empty())
    return mlir::NameLoc::get(mlir::StringAttr::get(context, layer.name()));
  // For a single ONNX node, MLIR's FusedLoc::get() returns the location of that node itself.
  return mlir::FusedLoc::get(context, nodes);
}

LayerLocations::LayerLocations(mlir::MLIRContext *context, const proto::Metadata &metadata)
    : unknown(mlir::UnknownLoc::get(context)) {
  for (const proto::Layer &layer : metadata.layers())
    all.push_back(locationOf(context, layer));
}

LayerLocations::LayerLocations(ProgramOp program) : unknown(mlir::UnknownLoc::get(program.getContext())) {
  for (LayerOp layer : program.getBody().getOps<LayerOp>())
    all.push_back(layer.getLoc());
}

ProgramOp createProgram(mlir::OpBuilder &builder, const Program &program) {
  mlir::MLIRContext *context = builder.getContext();
  const mlir::Location nowhere = builder.getUnknownLoc();
  const LayerLocations locations(context, program.metadata);
  const bool isUsual = hasUsualRanges(program);

  proto::Metadata rest = program.metadata;
  rest.clear_model(), rest.clear_layers(), rest.clear_tensors();
  if (isUsual)
    rest.clear_debug();
  const mlir::DictionaryAttr about = dictionaryOf(context, rest);
  auto result = ProgramOp::create(builder, nowhere, program.metadata.model(), machineText(program.machine),
                                  program.tiles, isUsual, about.empty() ? nullptr : about);
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&result.getBody());

  for (const proto::Layer &layer : program.metadata.layers())
    LayerOp::create(builder, locations.of(layer.id()), layer.id(), layer.name(),
                    dictionaryWithout(context, layer, &proto::Layer::clear_id, &proto::Layer::clear_name));
  for (const ConstantData &constant : program.constants)
    ConstantOp::create(builder, nowhere, constant.address, bytesAttr(context, constant));
  for (const proto::Tensor &tensor : program.metadata.tensors())
    TensorOp::create(builder, locations.of(tensor.layer()), tensor.name(),
                     dictionaryWithout(context, tensor, &proto::Tensor::clear_name));
  for (const Stage &stage : program.stages) {
    const auto *host = std::get_if<proto::HostWork>(&stage.work);
    auto op = StageOp::create(builder, nowhere, stage.name, phaseNames[static_cast<size_t>(stage.phase)]);
    const mlir::OpBuilder::InsertionGuard inner(builder);
    builder.createBlock(&op.getBody());
    if (host)
      HostOp::create(builder, locations.of(host->layer()), host->kernel(),
                     dictionaryWithout(context, *host, &proto::HostWork::clear_kernel));
  }
  return result;
}

void createTiles(StageOp stage, const DeviceStage &work, const LayerLocations &locations) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&stage.getBody().front());
  for (uint32_t tile = 0; tile < work.tiles.size(); ++tile) {
    auto op = TileOp::create(builder, builder.getUnknownLoc(), tile);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&op.getBody());
    for (const Instruction &instruction : work.tiles[tile])
      createInstruction(builder, locations.of(layerOf(instruction)), instruction);
  }
}

mlir::OwningOpRef<mlir::ModuleOp> moduleOf(mlir::MLIRContext &context, const Program &program) {
  context.loadDialect<IsaDialect>();
  mlir::OpBuilder builder(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  ProgramOp result = createProgram(builder, program);
  const LayerLocations locations(&context, program.metadata);
  auto stage = result.getBody().getOps<StageOp>().begin();
  for (const Stage &programStage : program.stages) {
    if (const auto *device = std::get_if<DeviceStage>(&programStage.work))
      createTiles(*stage, *device, locations);
    ++stage;
  }
  return module;
}

Result<Machine> machineOf(ProgramOp program) {
  const std::string text = program.getMachine().str();
  if (llvm::StringRef(text).ltrim().starts_with("{"))
    return parseMachine(text, "machine");
  // Only built-in machines can be named. A path would name another file if the text is read in another
  // folder.
  const auto names = builtInMachines();
  if (std::ranges::find(names, text) == names.end())
    return invalidInput("machine", fmt::format("'{}' is not a built-in machine", text),
                        "give the name of a built-in machine, or a machine description as JSON");
  return loadMachine(text);
}

Result<Program> programOf(ProgramOp program) { return ProgramReader(program).read(); }

} // namespace tilerig::compiler::isa
