/* hash.c: the canonical encoding of a state, its hash, and the fingerprint of a layout. */
#include "game.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { HOST_IS_LITTLE = 1 };
#else
enum { HOST_IS_LITTLE = 0 };
#endif

/* XXH64 (the specification is public: github.com/Cyan4973/xxHash), seed 0. */

static const uint64_t PRIME1 = 0x9E3779B185EBCA87u;
static const uint64_t PRIME2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t PRIME3 = 0x165667B19E3779F9u;
static const uint64_t PRIME4 = 0x85EBCA77C2B2AE63u;
static const uint64_t PRIME5 = 0x27D4EB2F165667C5u;

static uint64_t rotl(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint64_t read_le(const uint8_t *p, size_t size)
{
    uint64_t x = 0;
    if (HOST_IS_LITTLE && size == sizeof x) { /* in one load, which the compiler does not make of the loop */
        memcpy(&x, p, sizeof x);
        return x;
    }
    for (size_t i = 0; i < size; i++)
        x |= (uint64_t)p[i] << (8 * i);
    return x;
}

static uint64_t round_of(uint64_t acc, uint64_t lane) { return rotl(acc + lane * PRIME2, 31) * PRIME1; }

static uint64_t merge(uint64_t acc, uint64_t lane) { return (acc ^ round_of(0, lane)) * PRIME1 + PRIME4; }

uint64_t wl_hash_bytes(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    size_t left = size;
    uint64_t acc = PRIME5;

    if (bytes == NULL)
        left = size = 0;
    if (left >= 32) {
        uint64_t lane[4] = {PRIME1 + PRIME2, PRIME2, 0, 0 - PRIME1};
        for (; left >= 32; left -= 32, p += 32)
            for (int i = 0; i < 4; i++)
                lane[i] = round_of(lane[i], read_le(p + 8 * i, 8));
        acc = rotl(lane[0], 1) + rotl(lane[1], 7) + rotl(lane[2], 12) + rotl(lane[3], 18);
        for (int i = 0; i < 4; i++)
            acc = merge(acc, lane[i]);
    }
    acc += size;
    for (; left >= 8; left -= 8, p += 8)
        acc = rotl(acc ^ round_of(0, read_le(p, 8)), 27) * PRIME1 + PRIME4;
    if (left >= 4) {
        acc = rotl(acc ^ read_le(p, 4) * PRIME1, 23) * PRIME2 + PRIME3;
        left -= 4;
        p += 4;
    }
    for (; left > 0; left--, p++)
        acc = rotl(acc ^ *p * PRIME5, 11) * PRIME1;
    acc = (acc ^ acc >> 33) * PRIME2;
    acc = (acc ^ acc >> 29) * PRIME3;
    return acc ^ acc >> 32;
}

/* ---- canonical encoding ------------------------------------------------------------------------------------------ */

/* The number of elements in use. */
static size_t used(const wl_field *field, const uint8_t *base)
{
    uint64_t n = 0;

    if (field->n_size == 0)
        return field->count;
    for (size_t i = 0; i < field->n_size; i++) /* a few: memcpy takes longer */
        n |= (uint64_t)base[field->n_offset + i] << 8 * (HOST_IS_LITTLE ? i : field->n_size - 1 - i);
    return n < field->count ? (size_t)n : field->count;
}

static uint8_t *put_integers(uint8_t *out, const uint8_t *from, size_t size, size_t n)
{
    if (HOST_IS_LITTLE) {
        memcpy(out, from, size * n);
        return out + size * n;
    }
    for (size_t i = 0; i < n; i++, from += size)
        for (size_t b = 0; b < size; b++)
            *out++ = from[size - 1 - b];
    return out;
}

/* 1 when the rows' bytes already are their encoding: plain integers in declared order, without gaps. */
static int is_packed(const wl_field *row, size_t row_size)
{
    size_t at = 0;

    if (!HOST_IS_LITTLE)
        return 0;
    for (; row->name != NULL; row++) {
        if (row->row != NULL || row->n_size != 0 || row->offset != at)
            return 0;
        at += (size_t)row->size * row->count;
    }
    return at == row_size;
}

/* Bytes of the plain integers from this field on that lie side by side, all of them in use; moves on to the field after them. */
static size_t plain_run(const wl_field **field)
{
    const wl_field *f = *field;
    size_t end = f->offset;

    for (; f->name != NULL && f->row == NULL && f->n_size == 0 && f->offset == end; f++)
        end += (size_t)f->size * f->count;
    end -= (*field)->offset;
    *field = f;
    return end;
}

/* Never longer than the struct itself: each field is written once, without padding. */
static uint8_t *encode(uint8_t *out, const wl_field *layout, const uint8_t *base)
{
    for (const wl_field *f = layout; f->name != NULL;) {
        const uint8_t *at = base + f->offset;
        const size_t run = HOST_IS_LITTLE ? plain_run(&f) : 0;
        if (run > 0) {
            memcpy(out, at, run);
            out += run;
            continue;
        }
        const size_t n = used(f, base);
        if (f->row == NULL || is_packed(f->row, f->size)) {
            out = put_integers(out, at, f->size, n);
            f++;
            continue;
        }
        for (size_t i = 0; i < n; i++, at += f->size)
            out = encode(out, f->row, at);
        f++;
    }
    return out;
}

/* Writes into the blank struct `out` what the layout says is in use. */
static void copy_fields(uint8_t *out, const wl_field *layout, const uint8_t *base)
{
    for (const wl_field *f = layout; f->name != NULL;) {
        const size_t at = f->offset;
        const size_t run = plain_run(&f);
        if (run > 0) {
            memcpy(out + at, base + at, run);
            continue;
        }
        const size_t n = used(f, base);
        if (f->row == NULL || is_packed(f->row, f->size))
            memcpy(out + at, base + at, n * f->size);
        else
            for (size_t i = 0; i < n; i++)
                copy_fields(out + at + i * f->size, f->row, base + at + i * f->size);
        f++;
    }
}

size_t wl_used_bytes(const wl_field *layout, const void *bytes)
{
    const wl_field *last = layout;

    while (last[1].name != NULL)
        last++;
    while (last > layout && used(last, bytes) == 0)
        last--;
    return last->offset + used(last, bytes) * last->size;
}

void wl_write_used(void *to, size_t to_used, const void *from, size_t used)
{
    memcpy(to, from, used);
    if (to_used > used)
        memset((uint8_t *)to + used, 0, to_used - used);
}

void wl_copy_used(const wl_field *layout, void *to, const void *from)
{
    const wl_field *last = layout;
    size_t at = 0;

    for (const wl_field *f = layout; f->name != NULL; last = f++)
        if (f->n_size != 0) {
            memcpy((uint8_t *)to + at, (const uint8_t *)from + at, f->offset + used(f, from) * f->size - at);
            at = f->offset + (size_t)f->count * f->size;
        }
    if (last->n_size == 0)
        memcpy((uint8_t *)to + at, (const uint8_t *)from + at, last->offset + (size_t)last->count * last->size - at);
}

int wl_is_canonical(const wl_field *layout, const void *bytes, size_t size)
{
    uint8_t blank[WL_STATE_MAX];

    if (size > sizeof blank)
        return 0;
    memset(blank, 0, size);
    copy_fields(blank, layout, bytes);
    return memcmp(blank, bytes, size) == 0;
}

uint64_t wl_hash(const wl_game *game, const void *state)
{
    uint8_t bytes[WL_STATE_MAX];

    if (game == NULL || state == NULL || game->state_size > sizeof bytes)
        return 0;
    return wl_hash_bytes(bytes, (size_t)(encode(bytes, game->state_layout, state) - bytes));
}

static uint64_t mix(uint64_t hash, uint64_t value) { return rotl(hash ^ value * PRIME1, 29) * PRIME2; }

static uint64_t layout_fingerprint(uint64_t hash, const wl_field *f)
{
    for (; f->name != NULL; f++) {
        hash = mix(hash, wl_hash_bytes(f->name, strlen(f->name)));
        hash = mix(mix(mix(hash, f->offset), f->size), f->count);
        hash = mix(mix(mix(hash, f->n_offset), f->n_size), f->is_signed);
        if (f->row != NULL)
            hash = layout_fingerprint(hash, f->row);
    }
    return hash;
}

uint64_t wl_fingerprint(const wl_game *game)
{
    uint64_t hash = PRIME5;

    if (game == NULL)
        return 0;
    hash = mix(hash, wl_hash_bytes(game->name, strlen(game->name)));
    hash = mix(mix(mix(hash, (uint64_t)game->rules_version), game->setup_size), game->state_size);
    hash = mix(hash, HOST_IS_LITTLE);
    return layout_fingerprint(layout_fingerprint(hash, game->setup_layout), game->state_layout);
}
