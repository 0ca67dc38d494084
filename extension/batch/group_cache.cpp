#include "extension/batch/group_cache.h"

namespace idp {

namespace {

constexpr std::uint32_t kFirstPlaces = 256;
constexpr Size kMostBytes = Size{1} << 20;
// Of other types than those of a word: so many bytes of a value fit, with one for their number.
constexpr int kLongWords = 3;
constexpr Size kLongBytes = 8 * kLongWords - 1;

Size bytes_of(const GroupCache& cache, std::uint32_t places) {
  return Size{8} * (static_cast<Size>(cache.words) + 1) * places;
}

Size most_bytes() { return Min(kMostBytes, static_cast<Size>(work_mem) * 1024 / 4); }

std::uint64_t* place_at(const GroupCache& cache, std::uint32_t number) {
  return cache.places + static_cast<Size>(number) * (static_cast<Size>(cache.words) + 1);
}

AggStatePerGroup group_at(const GroupCache& cache, const std::uint64_t* place) {
  return reinterpret_cast<AggStatePerGroup>(place[cache.words]);
}

void put(GroupCache& cache, const std::uint64_t* key, AggStatePerGroup group) {
  std::uint64_t* place = find_place(cache, key, cache.words);
  if (group_at(cache, place) == nullptr) ++cache.used;
  memcpy(place, key, Size{8} * static_cast<Size>(cache.words));
  place[cache.words] = reinterpret_cast<std::uint64_t>(group);
}

void make_places(GroupCache& cache, std::uint32_t places) {
  cache.places = static_cast<std::uint64_t*>(palloc0(bytes_of(cache, places)));
  cache.mask = places - 1;
  cache.used = 0;
}

// Whether there is room for another group.
bool make_room(GroupCache& cache) {
  if (cache.places == nullptr) {
    if (bytes_of(cache, kFirstPlaces) > most_bytes()) return false;
    make_places(cache, kFirstPlaces);
  }
  if ((cache.used + 1) * 2 <= cache.mask) return true;
  const std::uint32_t before = cache.mask + 1;
  if (bytes_of(cache, 2 * before) > most_bytes()) return false;
  GroupCache larger = cache;
  make_places(larger, 2 * before);
  for (std::uint32_t i = 0; i < before; ++i) {
    const std::uint64_t* place = place_at(cache, i);
    if (AggStatePerGroup group = group_at(cache, place)) put(larger, place, group);
  }
  pfree(cache.places);
  cache = larger;
  return true;
}

}  // namespace

KeyForm form_of_key(Oid type) {
  KeyForm form = {};
  get_typlenbyval(type, &form.length, &form.by_value);
  form.words = form.by_value ? 1 : kLongWords;
  return form;
}

bool put_key(const KeyForm& form, Datum value, std::uint64_t*& at) {
  if (form.by_value) {
    *at++ = value;
    return true;
  }
  const char* bytes = DatumGetPointer(value);
  Size size = static_cast<Size>(form.length);
  if (form.length == -1) {
    const auto* varlena = reinterpret_cast<const struct varlena*>(bytes);
    if (VARATT_IS_EXTERNAL(varlena) || VARATT_IS_COMPRESSED(varlena)) return false;
    size = VARSIZE_ANY_EXHDR(varlena);
    bytes = VARDATA_ANY(varlena);
  } else if (form.length < 0) {
    size = strlen(bytes);
  }
  if (size > kLongBytes) return false;
  std::uint64_t words[kLongWords] = {};
  memcpy(words, bytes, size);
  reinterpret_cast<unsigned char*>(words)[kLongBytes] = static_cast<unsigned char>(size);
  memcpy(at, words, sizeof words);
  at += kLongWords;
  return true;
}

void keep_group(GroupCache& cache, const std::uint64_t* key, AggStatePerGroup group) {
  if (make_room(cache)) put(cache, key, group);
}

}  // namespace idp
