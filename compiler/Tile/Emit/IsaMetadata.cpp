#include "compiler/Tile/Emit/TileMetadata.h"

#include "isa/Base/Support/Json.h"
#include "isa/Instructions/Access.h"

#include <map>

namespace tilerig::compiler {

namespace {

// For each memory, the range of bytes from the first to behind the last accessed byte.
using Extents = std::map<MemoryId, ByteRange>;

Extents extentsOf(const std::vector<Instruction> &code, const proto::DebugRange &range) {
  Extents extents;
  AccessList accesses;
  for (uint32_t i = range.begin(); i < range.end(); ++i)
    appendAccesses(code[i], range.tile(), accesses);
  for (const Access &access : accesses) {
    const auto [it, isNew] = extents.try_emplace(access.memory, access.region.bounds());
    if (!isNew)
      it->second = {std::min(it->second.begin, access.region.begin),
                    std::max(it->second.end, access.region.end)};
  }
  return extents;
}

Json rangeRecord(const Program &program, const proto::DebugRange &range) {
  Json record = {
      {"stage", range.stage()}, {"tile", range.tile()}, {"begin", range.begin()}, {"end", range.end()}};
  const auto &device = std::get<DeviceStage>(program.stages[range.stage()].work);
  Json others = Json::object();
  for (const auto &[memory, bytes] : extentsOf(device.tiles[range.tile()], range)) {
    const Json extent = {bytes.begin, bytes.end};
    if (memory == ddrMemory)
      record["ddr"] = extent;
    else if (tileOf(memory) == range.tile())
      record["ocm"] = extent;
    else
      others[std::to_string(tileOf(memory))] = extent;
  }
  if (!others.empty())
    record["other_tiles"] = std::move(others);
  return record;
}

// The instruction ranges in a program's metadata, sorted by layer, then by primitive (kind of instruction).
std::vector<std::map<std::string, Json>> primitivesOf(const Program &program) {
  std::vector<std::map<std::string, Json>> all(static_cast<size_t>(program.metadata.layers_size()));
  for (const proto::DebugRange &range : program.metadata.debug()) {
    Json &ranges = all[range.layer()].try_emplace(range.primitive(), Json::array()).first->second;
    ranges.push_back(rangeRecord(program, range));
  }
  return all;
}

Json pieceRecord(const proto::Piece &piece) {
  Json record = {{"address", piece.address()}};
  if (!piece.ddr())
    record["tile"] = piece.tile();
  record["begin"] = std::vector<int64_t>(piece.begin().begin(), piece.begin().end());
  record["extent"] = std::vector<int64_t>(piece.extent().begin(), piece.extent().end());
  return record;
}

Json tensorsOf(const Program &program, uint32_t layer) {
  Json all = Json::array();
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    if (tensor.layer() != layer || tensor.role() == proto::INPUT)
      continue;
    Json pieces = Json::array();
    for (const proto::Piece &piece : tensor.pieces())
      pieces.push_back(pieceRecord(piece));
    all.push_back({{"name", tensor.name()}, {"stage", tensor.stage()}, {"pieces", std::move(pieces)}});
  }
  return all;
}

Json layersOf(const Program &program) {
  Json layers = Json::array();
  const auto primitives = primitivesOf(program);
  for (const proto::Layer &layer : program.metadata.layers()) {
    Json its = Json::array();
    for (const auto &[primitive, ranges] : primitives[layer.id()])
      its.push_back({{"primitive", primitive}, {"ranges", ranges}});
    layers.push_back(
        {{"id", layer.id() + 1},
         {"name", layer.name()},
         {"onnx_nodes", std::vector<std::string>(layer.onnx_nodes().begin(), layer.onnx_nodes().end())},
         {"where", layer.where()},
         {"primitives", std::move(its)},
         {"tensors", tensorsOf(program, layer.id())}});
  }
  return layers;
}

Json stagesOf(const Program &program) {
  Json stages = Json::array();
  constexpr std::array<const char *, 3> phases = {"initial", "inference", "finishing"};
  for (const Stage &stage : program.stages) {
    Json record = {{"name", stage.name}, {"phase", phases[static_cast<size_t>(stage.phase)]}};
    if (const auto *device = std::get_if<DeviceStage>(&stage.work)) {
      Json counts = Json::array();
      for (const std::vector<Instruction> &code : device->tiles)
        counts.push_back(code.size());
      record["instructions"] = std::move(counts);
    } else {
      record["host"] = std::get<proto::HostWork>(stage.work).kernel();
    }
    stages.push_back(std::move(record));
  }
  return stages;
}

} // namespace

std::string isaMetadata(const GeneratedProgram &generated) {
  const Program &program = generated.program;
  Json constants = Json::array();
  for (const ConstantData &constant : program.constants)
    constants.push_back({{"address", constant.address}, {"bytes", constant.bytes.size()}});
  const SyncCounts &sync = generated.sync;
  const Json document = {{"file_type", "isa"},
                         {"version", 1},
                         {"machine", program.machine.name},
                         {"tiles", program.tiles},
                         {"proved", program.proof.has_value()},
                         {"ddr_relocatable", program.metadata.ddr_relocatable()},
                         {"synchronisation",
                          {{"before_removal", sync.before()},
                           {"after_removal", sync.after()},
                           {"local_syncs", sync.locals},
                           {"semaphore_waits", sync.semaphores},
                           {"signals", sync.signals},
                           {"barriers", sync.barriers}}},
                         {"stages", stagesOf(program)},
                         {"constants", std::move(constants)},
                         {"layers", layersOf(program)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilerig::compiler
