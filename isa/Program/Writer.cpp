#include "isa/Program/Writer.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Instructions/Codec.h"
#include "isa/Instructions/Schema.h"
#include "isa/Program/Canonical.h"
#include "isa/Program/Hash.h"
#include "isa/Program/Layout.h"
#include "isa/Program/Verify.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

namespace {

// A part of the program file (a constant, or the instructions of a tile) and its offset in the file.
struct Part {
  uint64_t offset;
  std::span<const std::byte> bytes;
};

// A complete program file in memory, ready to be written. Refers to the bytes of the program's constants.
struct Image {
  Header header;
  std::vector<std::vector<std::byte>> code; // encoded instructions, by stage and tile
  std::string metadata;
  std::vector<Part> parts; // parts of the file by ascending offset
};

// Builds the program file in memory (Image), part by part, and fills the metadata fields that only a file
// has. Their contents come from other members of Program.
class ImageBuilder {
public:
  explicit ImageBuilder(const Program &program) : program(program), metadata(program.metadata) {
    metadata.set_machine(printMachine(program.machine));
    metadata.set_tiles(program.tiles);
    metadata.clear_stages();
    metadata.clear_constants();
    metadata.clear_proof();
    if (program.proof)
      *metadata.mutable_proof() = *program.proof;
  }

  Result<Image> build() {
    for (const Stage &stage : program.stages)
      TILERIG_CHECK_OK(addStage(stage));
    for (const ConstantData &constant : program.constants) {
      proto::Constant &entry = *metadata.add_constants();
      entry.set_address(constant.address);
      TILERIG_CHECK_OK(addPart(constant.bytes, constantAlignment, *entry.mutable_data()));
    }
    TILERIG_CHECK_OK(fillHashes());
    TILERIG_CHECK_OK(addRunPlan());
    TILERIG_CHECK_OK(addMetadata());
    return std::move(image);
  }

private:
  Status addPart(std::span<const std::byte> bytes, uint64_t alignment, proto::Section &section) {
    auto offset = layout.place(bytes.size(), alignment);
    if (!offset)
      return unsupported("", "the program is too large for a program file");
    section.set_offset(*offset);
    section.set_size(bytes.size());
    image.parts.push_back({*offset, bytes});
    return success();
  }

  Status addStage(const Stage &stage) {
    proto::Stage &entry = *metadata.add_stages();
    entry.set_name(stage.name);
    entry.set_phase(static_cast<proto::Phase>(stage.phase));
    firstCode.push_back(image.code.size());
    if (auto *host = std::get_if<proto::HostWork>(&stage.work)) {
      *entry.mutable_host() = *host;
      return success();
    }
    for (const auto &instructions : std::get<DeviceStage>(stage.work).tiles)
      TILERIG_CHECK_OK(addCode(instructions, *entry.mutable_device()->add_tiles()));
    return success();
  }

  Status addCode(const std::vector<Instruction> &instructions, proto::Section &section) {
    // Growing image.code moves the vectors in it, but not their buffers, so the spans of earlier parts stay
    // valid.
    std::vector<std::byte> &code = image.code.emplace_back();
    for (const Instruction &instruction : instructions)
      encode(instruction, code);
    if (code.size() > mostInstructionBytes - codeBytes)
      return unsupported("", fmt::format("the instructions take more than {} bytes", mostInstructionBytes));
    codeBytes += code.size();
    return addPart(code, instructionAlignment, section);
  }

  Status fillHashes() {
    auto codeOf = [&](size_t stage, size_t tile) -> std::span<const std::byte> {
      return image.code[firstCode[stage] + tile];
    };
    image.header.schemaHash = schemaHash();
    image.header.machineHash = hashMachine(program.machine);
    image.header.constantsHash = hashConstants(program.constants);
    image.header.contentHash = hashContent(program, codeOf, image.header.constantsHash);
    return verifyProof(program, image.header.contentHash);
  }

  Status addRunPlan() {
    metadata.clear_run_plan();
    if (!program.runPlan || program.runPlan->contentHash != image.header.contentHash)
      return success();
    proto::RunPlan &plan = *metadata.mutable_run_plan();
    plan.set_content_hash(image.header.contentHash);
    plan.set_machine_hash(image.header.machineHash);
    plan.set_version(runPlanVersion);
    plan.set_data_hash(hashBytes(program.runPlan->bytes));
    return addPart(program.runPlan->bytes, runPlanAlignment, *plan.mutable_data());
  }

  Status addMetadata() {
    if (metadata.ByteSizeLong() > mostMetadataBytes)
      return unsupported("metadata", fmt::format("the metadata take more than {} bytes", mostMetadataBytes));
    image.metadata = serialiseCanonically(metadata);
    auto bytes = std::as_bytes(std::span(image.metadata));
    TILERIG_CHECK_OK(checkWire(bytes, *metadata.GetDescriptor()));
    auto offset = layout.place(bytes.size(), metadataAlignment);
    if (!offset)
      return unsupported("", "the program is too large for a program file");
    image.header.metadataOffset = *offset;
    image.header.metadataSize = bytes.size();
    image.header.metadataHash = hashBytes(bytes);
    image.header.fileSize = layout.end();
    return success();
  }

  const Program &program;
  proto::Metadata metadata;
  Layout layout;
  Image image;
  std::vector<size_t> firstCode; // index in image.code of the first tile of each stage
  uint64_t codeBytes = 0;
};

Result<Image> buildImage(const Program &program) {
  TILERIG_CHECK_OK(verifyProgram(program));
  return ImageBuilder(program).build();
}

// Calls sink(offset, bytes) for the header and all parts of the file by ascending offset; the gaps between
// parts are zeros.
template <class Sink>
Status emit(const Image &image, Sink &&sink) {
  auto header = encodeHeader(image.header);
  TILERIG_CHECK_OK(sink(0, header));
  for (const Part &part : image.parts)
    TILERIG_CHECK_OK(sink(part.offset, part.bytes));
  return sink(image.header.metadataOffset, std::as_bytes(std::span(image.metadata)));
}

} // namespace

Status writeProgram(const Program &program, const std::string &path) {
  auto image = buildImage(program);
  if (!image)
    return image.error().within(path);
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  TILERIG_CHECK_OK(emit(*image, [&](uint64_t offset, std::span<const std::byte> bytes) -> Status {
    TILERIG_CHECK_OK(file.seek(offset));
    return file.write(bytes);
  }));
  return file.commit();
}

Result<std::vector<std::byte>> serialiseProgram(const Program &program) {
  TILERIG_TRY(Image image, buildImage(program));
  std::vector<std::byte> file(image.header.fileSize);
  TILERIG_CHECK_OK(emit(image, [&](uint64_t offset, std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, file.begin() + static_cast<ptrdiff_t>(offset));
    return success();
  }));
  return file;
}

} // namespace tilerig
