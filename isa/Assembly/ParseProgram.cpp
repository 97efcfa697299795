// Parses the statements of a program's text and assembles stages and tiles from them.
#include "isa/Assembly/InstructionReader.h"
#include "isa/Assembly/ProgramReader.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/Utf8.h"

#include <algorithm>
#include <array>

namespace tilerig {

static constexpr std::array<std::string_view, 3> phaseNames = {"initial", "inference", "finishing"};

ProgramReader::ProgramReader(std::string_view text, const std::string &place, const ParseLimits &limits)
    : text(text), cursor(text, place), budget{limits.unfoldedBytes} {
  cursor.definitions = &definitions;
}

Result<Assembly> ProgramReader::read() {
  bool done = checkEncoding();
  while (done && !cursor.atEnd())
    done = readStatement();
  if (!done || !finish())
    return cursor.takeError();
  return std::move(assembly);
}

bool ProgramReader::checkEncoding() {
  if (isUtf8(text))
    return true;
  // Advance character by character to the first invalid one; a UTF-8 character has at most four bytes.
  size_t at = 0;
  for (size_t length = 1; length <= 4 && at < text.size();) {
    bool whole = isUtf8(text.substr(at, length));
    at += whole ? length : 0;
    length = whole ? 1 : length + 1;
  }
  return cursor.failAt(text.data() + at, "the text is not UTF-8");
}

bool ProgramReader::readStatement() {
  bool done = cursor.peek() == '.' ? readDirective() : readProgramInstruction();
  if (done && !cursor.atEnd() && !cursor.startsLine())
    return cursor.failExpecting("the end of the line");
  return done;
}

bool ProgramReader::readDirective() {
  struct Directive {
    std::string_view name;
    bool (ProgramReader::*read)();
  };
  static constexpr auto directives = std::to_array<Directive>({
      {"machine", &ProgramReader::readMachine},
      {"tiles", &ProgramReader::readTiles},
      {"metadata", &ProgramReader::readMetadata},
      {"proof", &ProgramReader::readProof},
      {"define", &ProgramReader::readDefine},
      {"constant", &ProgramReader::readConstant},
      {"tensor", &ProgramReader::readIntermediate},
      {"input", &ProgramReader::readInput},
      {"output", &ProgramReader::readOutput},
      {"stage", &ProgramReader::readStage},
      {"tile", &ProgramReader::readTile},
      {"host", &ProgramReader::readHost},
      {"set", &ProgramReader::readSet},
      {"expect", &ProgramReader::readExpect},
      {"expect_fault", &ProgramReader::readExpectFault},
      {"expect_problem", &ProgramReader::readExpectProblem},
  });
  static constexpr auto names = [] {
    std::array<std::string_view, directives.size()> all;
    std::ranges::transform(directives, all.begin(), &Directive::name);
    return all;
  }();
  directivePlace = cursor.position();
  cursor.acceptMaybe('.');
  std::string_view name = cursor.peekName();
  if (name.data() != directivePlace + 1)
    return cursor.failAt(directivePlace, "found '.'", "expected a directive, as in '.stage'");
  auto directive = std::ranges::find(directives, name, &Directive::name);
  if (directive == directives.end())
    return cursor.failAt(directivePlace,
                         "there is no directive with the name " + quoted("." + std::string(name)),
                         suggestion(name, names));
  cursor.acceptNameMaybe(name);
  return (this->*directive->read)();
}

// Returns "already at line 12" for error messages about duplicates.
std::string ProgramReader::before(const char *place) const {
  return "already at line " + std::to_string(1 + std::count(text.data(), place, '\n'));
}

bool ProgramReader::once(const char *&place, std::string_view subject) {
  if (place)
    return cursor.failAt(directivePlace, std::string(subject) + " is given " + before(place));
  place = directivePlace;
  return true;
}

// ---- stages ----

bool ProgramReader::readTiles() {
  int64_t count;
  if (!once(tilesPlace, "the number of tiles") || !cursor.readInteger("number of tiles", 1, 256, count))
    return false;
  declaredTiles = static_cast<unsigned>(count);
  return true;
}

bool ProgramReader::readStage() {
  StageText stage;
  stage.place = directivePlace;
  size_t phase;
  if (!cursor.readString("the stage's name", stage.name) || !cursor.readChoice(phaseNames, "phase", phase))
    return false;
  stage.phase = static_cast<Phase>(phase);
  stages.push_back(std::move(stage));
  currentTile = nullptr;
  return true;
}

ProgramReader::TileText *ProgramReader::startTile(unsigned tile, const char *place) {
  if (stages.empty())
    stages.push_back({.place = place, .tiles = {}, .host = {}});
  StageText &stage = stages.back();
  if (stage.host) {
    cursor.failAt(place, "the stage '" + stage.name + "' runs on the host",
                  "begin another .stage for instructions of tiles");
    return nullptr;
  }
  TileText &entry = stage.tiles[tile];
  if (entry.place) {
    cursor.failAt(place, "tile " + std::to_string(tile) + " of this stage is given " + before(entry.place));
    return nullptr;
  }
  entry.place = place;
  return currentTile = &entry;
}

bool ProgramReader::readTile() {
  int64_t tile;
  int64_t most = declaredTiles ? declaredTiles - 1 : 255;
  return cursor.readInteger("tile", 0, most, tile) && startTile(static_cast<unsigned>(tile), directivePlace);
}

bool ProgramReader::readProgramInstruction() {
  if (!currentTile && !startTile(0, cursor.position()))
    return false;
  uint32_t line = cursor.line();
  if (!readInstruction(cursor, currentTile->code.emplace_back()))
    return false;
  currentTile->lines.push_back(line);
  return true;
}

unsigned ProgramReader::numTiles() const {
  unsigned tiles = 1;
  for (const StageText &stage : stages)
    if (!stage.tiles.empty())
      tiles = std::max(tiles, stage.tiles.rbegin()->first + 1);
  return declaredTiles ? declaredTiles : tiles;
}

// Completes a stage: a tile that the text does not mention gets a program that halts at once.
bool ProgramReader::finishStage(StageText &stage, unsigned tiles) {
  auto &lines = assembly.lines.emplace_back();
  if (stage.host) {
    program.stages.push_back({std::move(stage.name), stage.phase, *std::move(stage.host)});
    return true;
  }
  if (!stage.tiles.empty() && stage.tiles.rbegin()->first >= tiles)
    return cursor.failAt(stage.tiles.rbegin()->second.place,
                         "the program has " + std::to_string(tiles) + " tiles, but there is code for tile " +
                             std::to_string(stage.tiles.rbegin()->first),
                         "raise the number in .tiles");
  if (!budget.spend(cursor, stage.place, tiles - stage.tiles.size(), 2 * sizeof(Instruction)))
    return false;
  DeviceStage work;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    auto written = stage.tiles.find(tile);
    bool absent = written == stage.tiles.end();
    work.tiles.push_back(absent ? std::vector<Instruction>{Halt{}} : std::move(written->second.code));
    lines.push_back(absent ? std::vector<uint32_t>{0} : std::move(written->second.lines));
  }
  program.stages.push_back({std::move(stage.name), stage.phase, std::move(work)});
  return true;
}

bool ProgramReader::finish() {
  if (!machinePlace) {
    auto machine = loadMachine("tiny");
    if (!machine)
      return cursor.failAt(text.data(), machine.error().what);
    program.machine = *std::move(machine);
  }
  program.tiles = numTiles();
  for (StageText &stage : stages)
    if (!finishStage(stage, program.tiles))
      return false;
  return finishConstants();
}

Result<Assembly> parseAssembly(std::string_view text, const std::string &place, const ParseLimits &limits) {
  return ProgramReader(text, place, limits).read();
}

Result<Program> parseProgram(std::string_view text, const std::string &place) {
  TILERIG_TRY(Assembly assembly, parseAssembly(text, place));
  return std::move(assembly.program);
}

} // namespace tilerig
