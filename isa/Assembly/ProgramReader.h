// Parses the text of a whole program, statement by statement. Internal to the assembler.
//
// A statement is an instruction, or a directive that begins with a dot; each begins on a new line. The
// directives are grouped into files by subject: ParseProgram.cpp (stages and tiles), ParseData.cpp
// (definitions, constants, inputs and expectations of tests), ParseTensors.cpp, ParseMetadata.cpp (machine,
// metadata, host work).
#pragma once

#include "isa/Assembly/Cursor.h"
#include "isa/Assembly/Data.h"
#include "isa/Assembly/Parser.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilerig {

class ProgramReader {
public:
  ProgramReader(std::string_view text, const std::string &place, const ParseLimits &limits);
  Result<Assembly> read();

private:
  // The instructions of one tile in one stage, as written in the text.
  struct TileText {
    const char *place = nullptr; // where the tile's directive or first instruction stands in the text
    std::vector<Instruction> code;
    std::vector<uint32_t> lines;
  };
  struct StageText {
    const char *place = nullptr;
    std::string name = "main";
    Phase phase = Phase::inference;
    std::map<unsigned, TileText> tiles;
    std::optional<proto::HostWork> host;
  };

  bool checkEncoding();
  bool readStatement();
  bool readDirective();
  bool readProgramInstruction();
  bool finish();

  // The functions that parse stages and tiles.
  bool readTiles();
  bool readStage();
  bool readTile();
  TileText *startTile(unsigned tile, const char *place);
  unsigned numTiles() const;
  bool finishStage(StageText &stage, unsigned tiles);
  // The functions that parse definitions (.define) and constants (.constant).
  bool readDefine();
  bool readConstant();
  bool readDefinition(std::string &name, int64_t &value);
  bool define(const char *place, std::string name, int64_t value);
  bool finishConstants();
  // The functions that parse tensors and their pieces (parts that lie in one memory).
  bool readInput() { return readTensor(proto::INPUT); }
  bool readOutput() { return readTensor(proto::OUTPUT); }
  bool readIntermediate() { return readTensor(proto::INTERMEDIATE); }
  bool readTensor(proto::TensorRole role);
  bool readTensorOption(proto::Tensor &tensor, uint32_t &seen);
  bool readPiece(proto::Tensor &tensor);
  bool readPieceOptions(proto::Piece &piece, uint32_t &seen);
  bool fillPiece(const char *place, const proto::Tensor &tensor, proto::Piece &piece, uint32_t seen);
  // The functions that parse the machine, the metadata, the analyser's proof that the program is free of
  // races, and the operators that host stages run.
  bool readMachine();
  bool readMetadata();
  bool readProof();
  bool readHost();
  bool readAttributes(proto::HostWork &work);
  bool readAttribute(proto::Attribute &attribute);
  bool readMessage(std::string_view subject, google::protobuf::Message &message);
  // The functions that parse the inputs of a test and what the test expects.
  bool readSet();
  bool readExpect();
  bool readExpectFault();
  bool readExpectProblem();
  bool readTestTensor(proto::TensorRole role, TensorMap &tensors);
  bool readReport(std::string_view expected, ExpectedReport &report);

  // Parsing functions that several directives use.
  bool readTypeName(std::string_view subject, std::string &name);
  bool readStrings(std::string_view subject, google::protobuf::RepeatedPtrField<std::string> &strings);
  bool readFloats(google::protobuf::RepeatedField<float> &values);
  bool readIntegers(std::string_view subject, int64_t low, google::protobuf::RepeatedField<int64_t> &values);
  bool atOption() const { return cursor.startsName() && cursor.nameIsFollowedBy('='); }
  bool readOption(std::span<const std::string_view> names, uint32_t &seen, size_t &option);
  bool once(const char *&place, std::string_view subject);
  std::string before(const char *place) const;

  std::string_view text;
  Cursor cursor;
  UnfoldBudget budget;
  Assembly assembly;
  Program &program = assembly.program;

  Definitions definitions;
  std::vector<StageText> stages;
  TileText *currentTile = nullptr;
  unsigned declaredTiles = 0;
  std::vector<std::pair<ConstantData, const char *>> constants;
  std::unordered_map<std::string, int> tensors; // index of each tensor in Metadata::tensors
  const char *directivePlace = nullptr;
  // Positions in the text of the directives that may occur only once; null before the directive has occurred.
  const char *machinePlace = nullptr, *tilesPlace = nullptr, *metadataPlace = nullptr, *proofPlace = nullptr;
};

} // namespace tilerig
