/* images.c - look-ups in table images. Rows stand newest first. */
#include "facts/images.h"

#include "facts/cuda.h"
#include "version/dotted.h"

bool tn_facts_image_next(const char *framework, const char *version, uint32_t *row, struct tn_facts_image *ret)
{
    const struct tn_table *t = tn_facts_find("images");
    const struct tn_filter filters[] = {
        {"framework", TN_FILTER_EQ, framework},
        {"version", TN_FILTER_VERSION, version ? version : ""},
    };
    while (t && (*row = tn_facts_next(t, *row, filters, version ? 2 : 1)) < t->nrows) {
        uint32_t r = (*row)++;
        if (tn_facts_rank(t, r) != 1)
            continue;
        *ret = (struct tn_facts_image){
            .image = tn_facts_get(t, r, "image"),
            .tag = tn_facts_get(t, r, "tag"),
            .framework = tn_facts_get(t, r, "framework"),
            .version = tn_facts_get(t, r, "version"),
            .python = tn_facts_get(t, r, "python"),
            .cuda = tn_facts_get(t, r, "cuda"),
            .cudnn = tn_facts_get(t, r, "cudnn"),
            .driver_min = tn_facts_get(t, r, "driver_min"),
            .cc_min = tn_facts_get(t, r, "cc_min"),
            .row = r,
            .cite = tn_facts_cite(t, r),
        };
        return true;
    }
    return false;
}

/* The least capability that a row names; where it names none, the strictest that another row of this framework does. */
static const char *least_card(const struct tn_facts_image *i)
{
    struct tn_facts_image other;
    const char *least = i->cc_min;
    for (uint32_t row = 0; !*i->cc_min && tn_facts_image_next(i->framework, NULL, &row, &other);)
        if (tn_version_dotted_cmp(other.cc_min, least) > 0)
            least = other.cc_min;
    return least;
}

/* A CUDA that does not know the card has no code for it but by PTX: not what an image is taken for. */
static bool knows_card(const struct tn_facts_image *i, const char *cc)
{
    const char *capabilities = "";
    char release[TN_DOTTED_TEXT];
    return tn_version_dotted_cmp(cc, least_card(i)) >= 0 &&
           tn_version_dotted_head(i->cuda, 2, release, sizeof release) &&
           tn_facts_cuda_capabilities(release, &capabilities) == TN_ANSWER_YES && tn_facts_list_has(capabilities, cc);
}

enum tn_found tn_facts_image_for(const char *framework, const char *version, const char *driver, const char *cc,
                                 struct tn_facts_image *ret)
{
    for (uint32_t row = 0; tn_facts_image_next(framework, version, &row, ret);)
        if (*ret->cuda && *ret->driver_min && (!driver || tn_version_dotted_cmp(driver, ret->driver_min) >= 0) &&
            (!cc || knows_card(ret, cc)))
            return TN_ANSWER_YES;
    return TN_ANSWER_NO;
}
