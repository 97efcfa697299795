// Parses a program file from the outside in: header, metadata, positions of the parts, hashes, and only then
// the instructions. An altered file is therefore reported as altered, and not as one that contains, for
// example, an illegal instruction.
#include "isa/Program/Reader.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Base/Support/InParallel.h"
#include "isa/Instructions/Codec.h"
#include "isa/Instructions/Schema.h"
#include "isa/Program/Canonical.h"
#include "isa/Program/Hash.h"
#include "isa/Program/Layout.h"
#include "isa/Program/ProgramSet.h"
#include "isa/Program/Verify.h"
#include "isa/Program/VerifyParts.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

namespace {

using Bytes = std::span<const std::byte>;

// Pages of constants of at least this many bytes are given back to the system after verification.
constexpr size_t leastReleased = size_t{64} << 20;

Error altered(const std::string &description) {
  return invalidInput("", description + ": the bytes do not match the hash in the file's header",
                      "copy or write the file again");
}

// Locates the parts of the file in order, and refuses a part that is not at its prescribed offset.
class PartFinder {
public:
  PartFinder(Bytes file, uint64_t metadataOffset) : file(file), limit(metadataOffset) {}

  Result<Bytes> find(const proto::Section &section, uint64_t alignment) {
    if (section.size() == 0)
      return invalidInput("", "is empty");
    return find(section.offset(), section.size(), alignment, limit);
  }
  // Locates the metadata, the last part, which must extend to the end of the file.
  Result<Bytes> findMetadata(uint64_t size) { return find(limit, size, metadataAlignment, file.size()); }

private:
  Result<Bytes> find(uint64_t offset, uint64_t size, uint64_t alignment, uint64_t end) {
    uint64_t before = layout.end();
    auto expected = layout.place(size, alignment);
    if (!expected || layout.end() > end)
      return invalidInput("", fmt::format("{} bytes do not fit between the offsets {} and {} in the file",
                                          size, before, end));
    if (offset != *expected)
      return invalidInput(
          "", fmt::format("the section lies at offset {} in the file, expected offset {}", offset, *expected),
          "the parts of a program file must follow one another without gaps");
    Bytes padding = file.subspan(before, offset - before);
    if (std::ranges::any_of(padding, [](std::byte byte) { return byte != std::byte{0}; }))
      return invalidInput(
          "", fmt::format("the padding bytes before this part of the file, from offset {} on, are not zero",
                          before));
    return file.subspan(offset, size);
  }

  Bytes file;
  uint64_t limit;
  Layout layout;
};

class FileParser {
public:
  FileParser(Bytes file, std::shared_ptr<const void> owner, const ReadOptions &options)
      : file(file), owner(std::move(owner)), options(options) {}

  Result<Program> parse() {
    TILERIG_CHECK_OK(readHeader());
    TILERIG_CHECK_OK(readMetadata());
    TILERIG_CHECK_OK(readMachine());
    TILERIG_CHECK_OK(findParts());
    TILERIG_CHECK_OK(checkHashes());
    TILERIG_CHECK_OK(decodeInstructions());
    TILERIG_CHECK_OK(verifyProgram(program));
    TILERIG_CHECK_OK(readProof());
    return std::move(program);
  }

private:
  Status readHeader() {
    TILERIG_TRY(header, decodeHeader(file));
    if (header.schemaHash != schemaHash())
      return unsupported("",
                         "the program was written by another version of tilerig, for another instruction set",
                         "compile or assemble the program again");
    if (header.metadataOffset > file.size() || header.metadataSize != file.size() - header.metadataOffset)
      return invalidInput(
          "",
          fmt::format("the metadata, {} bytes at offset {}, does not end at the end of the file of {} bytes",
                      header.metadataSize, header.metadataOffset, file.size()));
    return success();
  }

  Status readMetadata() {
    Bytes bytes = file.subspan(header.metadataOffset);
    if (hashBytes(bytes) != header.metadataHash)
      return altered("the metadata was altered");
    TILERIG_TRY(program.metadata, parseMetadata(bytes));
    program.tiles = program.metadata.tiles();
    return success();
  }

  Status readMachine() {
    TILERIG_TRY(program.machine, parseMachine(program.metadata.machine(), "machine"));
    if (printMachine(program.machine) != program.metadata.machine())
      return invalidInput("machine",
                          "the text is not in the form in which tilerig writes a machine description");
    if (hashMachine(program.machine) != header.machineHash)
      return invalidInput(
          "machine", "the machine description does not match the hash in the header: the file was altered");
    return success();
  }

  Status findParts() {
    PartFinder finder(file, header.metadataOffset);
    for (const proto::Stage &stage : program.metadata.stages())
      TILERIG_CHECK_OK(
          inside([&] { return fmt::format("stage '{}'", stage.name()); }, findStage(finder, stage)));
    for (int index = 0; index < program.metadata.constants_size(); ++index)
      TILERIG_CHECK_OK(inside([&] { return fmt::format("constants[{}]", index); },
                              findConstant(finder, program.metadata.constants(index))));
    TILERIG_CHECK_OK(inside([] { return "run plan"; }, findRunPlan(finder)));
    auto last = finder.findMetadata(header.metadataSize);
    return last ? success() : Status(inside("metadata", last.error()));
  }

  Status findStage(PartFinder &finder, const proto::Stage &entry) {
    firstCode.push_back(code.size());
    if (!proto::Phase_IsValid(entry.phase()))
      return invalidInput("phase", fmt::format("there is no phase {} in which a stage could run",
                                               static_cast<int>(entry.phase())));
    Stage stage{entry.name(), static_cast<Phase>(entry.phase()), DeviceStage()};
    switch (entry.work_case()) {
    case proto::Stage::WORK_NOT_SET:
      return invalidInput("", "the stage has neither instructions nor a host operator");
    case proto::Stage::kHost:
      stage.work = entry.host();
      break;
    case proto::Stage::kDevice:
      for (int tile = 0; tile < entry.device().tiles_size(); ++tile)
        TILERIG_CHECK_OK(inside([&] { return fmt::format("tile {}", tile); },
                                findCode(finder, entry.device().tiles(tile))));
      std::get<DeviceStage>(stage.work).tiles.resize(static_cast<size_t>(entry.device().tiles_size()));
    }
    program.stages.push_back(std::move(stage));
    return success();
  }

  Status findCode(PartFinder &finder, const proto::Section &section) {
    TILERIG_TRY(Bytes bytes, finder.find(section, instructionAlignment));
    if (bytes.size() > mostInstructionBytes - codeBytes)
      return unsupported("", fmt::format("the instructions take more than {} bytes", mostInstructionBytes));
    codeBytes += bytes.size();
    code.push_back(bytes);
    return success();
  }

  Status findConstant(PartFinder &finder, const proto::Constant &constant) {
    TILERIG_TRY(Bytes bytes, finder.find(constant.data(), constantAlignment));
    program.constants.push_back({constant.address(), bytes, owner});
    return success();
  }

  Status findRunPlan(PartFinder &finder) {
    if (!program.metadata.has_run_plan())
      return success();
    const proto::RunPlan plan = program.metadata.run_plan();
    program.metadata.clear_run_plan();
    TILERIG_TRY(Bytes bytes, finder.find(plan.data(), runPlanAlignment));
    if (hashBytes(bytes) != plan.data_hash())
      return altered("the run plan was altered");
    if (plan.content_hash() != header.contentHash || plan.machine_hash() != header.machineHash)
      return invalidInput("", "the plan was made for another program", "compile the program again");
    if (plan.version() == runPlanVersion)
      program.runPlan = {plan.content_hash(), bytes, owner};
    return success();
  }

  Status checkHashes() {
    auto codeOf = [&](size_t stage, size_t tile) { return code[firstCode[stage] + tile]; };
    if (hashContent(program, codeOf, header.constantsHash) != header.contentHash)
      return altered("the instructions or the tensors were altered");
    if (options.verifyConstants && hashConstants(program.constants) != header.constantsHash)
      return altered("the constants were altered");
    // Hashing has read all constants, of which a run may need few at a time.
    for (const ConstantData &constant : program.constants)
      if (constant.bytes.size() >= leastReleased)
        releasePages(constant.bytes);
    return success();
  }

  Status decodeInstructions() {
    for (size_t index = 0; index < program.stages.size(); ++index)
      if (auto *stage = std::get_if<DeviceStage>(&program.stages[index].work))
        TILERIG_CHECK_OK(checkInParallel(stage->tiles.size(), [&](size_t tile) -> Status {
          auto decoded = decodeAll(code[firstCode[index] + tile]);
          if (!decoded)
            return inside(fmt::format("stage '{}', tile {}", program.stages[index].name, tile),
                          decoded.error());
          stage->tiles[tile] = *std::move(decoded);
          return success();
        }));
    return success();
  }

  // Moves the proof out of the metadata, and clears the metadata fields whose contents are now in other
  // members of Program.
  Status readProof() {
    if (program.metadata.has_proof()) {
      if (program.metadata.proof().analyser_version() == analyserVersion)
        program.proof = std::move(*program.metadata.mutable_proof());
      else
        program.outdatedProof = program.metadata.proof().analyser_version();
    }
    program.metadata.clear_machine();
    program.metadata.clear_tiles();
    program.metadata.clear_stages();
    program.metadata.clear_constants();
    program.metadata.clear_proof();
    return verifyProof(program, header.contentHash);
  }

  Bytes file;
  std::shared_ptr<const void> owner;
  ReadOptions options;
  Header header;
  Program program;
  std::vector<Bytes> code;       // the bytes in `file` of each tile's instructions, for all device stages
  std::vector<size_t> firstCode; // index in `code` of the first tile of each stage
  uint64_t codeBytes = 0;
};

} // namespace

Result<Program> parseProgramFile(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                 const std::string &place, const ReadOptions &options) {
  auto program = FileParser(bytes, std::move(owner), options).parse();
  return program ? std::move(program) : Result<Program>(program.error().within(place));
}

namespace {

// Chooses a program of a file with several: by its number, or the first that `options.fits` accepts.
Result<ProgramFile> findInSet(const ProgramFile &set, const ProgramName &name, const ReadOptions &options) {
  auto programs = programsIn(set.bytes);
  if (!programs)
    return programs.error().within(name.file);
  const auto at = [&](size_t index) {
    return ProgramFile{(*programs)[index], set.owner, fmt::format("{}#{}", name.file, index + 1)};
  };
  if (name.number) {
    if (*name.number < 1 || *name.number > programs->size())
      return usageError(
          set.name, fmt::format("there is no program {}; the file has {}", *name.number, programs->size()),
          fmt::format("use a number from 1 to {}", programs->size()));
    return at(*name.number - 1);
  }
  std::string shapes;
  for (size_t i = 0; i < programs->size(); ++i) {
    const ProgramFile one = at(i);
    TILERIG_TRY(const Program program,
                parseProgramFile(one.bytes, one.owner, one.name, {.verifyConstants = false}));
    if (options.fits && options.fits(program))
      return one;
    shapes += fmt::format("{}{} ({})", i == 0 ? "" : ", ", i + 1, shapesOfInputs(program));
  }
  return usageError(name.file,
                    fmt::format("the file has {} programs, for these shapes of inputs: {}{}",
                                programs->size(), shapes,
                                options.fits ? "; none has inputs of the given names, types and shapes" : ""),
                    fmt::format("name one of them, such as '{}#1'", name.file));
}

} // namespace

Result<ProgramFile> findProgram(const std::string &path, const ReadOptions &options) {
  const ProgramName name = programNameOf(path);
  TILERIG_TRY(MappedFile map, MappedFile::open(name.file));
  const auto owner = std::make_shared<const MappedFile>(std::move(map));
  const ProgramFile file{owner->bytes(), owner, path};
  if (isProgramSet(file.bytes))
    return findInSet(file, name, options);
  if (name.number)
    return usageError(path, "the file has only one program", fmt::format("leave out '#{}'", *name.number));
  return file;
}

Result<Program> readProgram(const std::string &path, const ReadOptions &options) {
  TILERIG_TRY(const ProgramFile file, findProgram(path, options));
  return advised(parseProgramFile(file.bytes, file.owner, file.name, options), "compile the program again");
}

} // namespace tilerig
