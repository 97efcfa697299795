// Redirects a C++ output stream so that control characters for the terminal are escaped
// (isa/Base/Support/Printable.h), for as long as this object lives.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace tilerig {

class PrintableStream : std::streambuf {
public:
  explicit PrintableStream(std::ostream &stream) : stream(stream), target(stream.rdbuf(this)) {}
  ~PrintableStream() override;
  PrintableStream(const PrintableStream &) = delete;

private:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char *text, std::streamsize size) override;
  int sync() override;
  bool write(std::string_view text);

  std::ostream &stream;
  std::streambuf *target;
  std::string begun; // bytes of an incomplete code point at the end of the output
};

} // namespace tilerig
