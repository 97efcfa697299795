#include "isa/Base/CommandLine/PrintableStream.h"

#include "isa/Base/Support/Printable.h"

namespace tilerig {

// Number of bytes at the end of the text that belong to an incomplete UTF-8 code point.
static size_t begunBytes(std::string_view text) {
  for (size_t size = 1; size <= 3 && size <= text.size(); ++size) {
    const auto byte = static_cast<unsigned char>(text[text.size() - size]);
    if ((byte & 0xC0) == 0x80)
      continue;
    const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > size ? size : 0;
  }
  return 0;
}

bool PrintableStream::write(std::string_view text) {
  const std::string shown = printableLines(text);
  const auto size = static_cast<std::streamsize>(shown.size());
  return target->sputn(shown.data(), size) == size;
}

std::streamsize PrintableStream::xsputn(const char *text, std::streamsize size) {
  std::string all = std::move(begun) + std::string(text, static_cast<size_t>(size));
  const size_t rest = begunBytes(all);
  begun = all.substr(all.size() - rest);
  return write(std::string_view(all).substr(0, all.size() - rest)) ? size : 0;
}

PrintableStream::int_type PrintableStream::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof()))
    return traits_type::not_eof(letter);
  const char one = traits_type::to_char_type(letter);
  return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
}

int PrintableStream::sync() { return target->pubsync(); }

PrintableStream::~PrintableStream() {
  write(begun);
  stream.rdbuf(target);
}

} // namespace tilerig
