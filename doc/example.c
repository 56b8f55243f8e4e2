/* example.c - the verdict for this machine in a dozen lines: cc example.c $(pkg-config --cflags --libs tenon) */
#include <stdio.h>
#include <tenon.h>

int main(void)
{
    struct tenon *t = tenon_new();
    if (!t)
        return 5;
    if (tenon_look(t, TENON_LIVE, NULL) || tenon_diagnose(t, NULL)) {
        fprintf(stderr, "%s\n", tenon_error(t));
        tenon_free(t);
        return 3;
    }
    printf("%s\n", tenon_summary(t, "en"));
    for (size_t i = 0; i < tenon_finding_count(t); i++)
        printf("  %s: %s\n", tenon_finding_status(t, i), tenon_finding_summary(t, i, "en"));
    enum tenon_verdict v = tenon_verdict(t);
    tenon_free(t);
    return v == TENON_VERDICT_OK ? 0 : v == TENON_VERDICT_PROBLEM ? 1 : 3;
}
