/**
 * Every function that a statement may call. What is not here reads files, settings or the catalogue, runs SQL that was
 * not checked, waits, writes, or makes much out of little (`repeat`, `range` as a list).
 */
const SCALAR = `
  !~~ !~~* % & && * ** + - ->> / // << <=> <@ >> @> ^ ^@ | || ~ ~~ ~~* ~~~ -> !__postfix
  abs acos add age asin atan atan2 cbrt ceil ceiling cos cot degrees divide even exp floor fdiv fmod gcd greatest
  isfinite isinf isnan lcm least ln log log10 log2 mod multiply pi pow power radians round round_even sign sin sqrt
  subtract tan trunc xor
  ascii bar chr char_length character_length concat concat_ws contains ends_with format format_bytes
  ilike_escape instr lcase left len length like_escape lower ltrim md5 nfc_normalize not_ilike_escape not_like_escape
  ord parse_filename position prefix printf regexp_escape regexp_extract regexp_extract_all regexp_full_match
  regexp_matches regexp_replace regexp_split_to_array replace reverse right rtrim split split_part starts_with str_split
  string_split string_split_regex string_to_array strip_accents strlen strpos substr substring suffix translate trim
  ucase unicode upper lpad rpad levenshtein damerau_levenshtein jaccard jaro_similarity jaro_winkler_similarity hamming
  ago century current_date current_localtime current_localtimestamp date_add date_diff date_part date_sub date_trunc
  datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear days_in_month decade epoch epoch_ms era
  get_current_time get_current_timestamp hour isodow isoyear julian last_day make_date make_time make_timestamp
  make_timestamptz microsecond millennium millisecond minute month monthname now quarter second strftime strptime
  time_bucket timezone timezone_hour timezone_minute to_centuries to_days to_decades to_hours to_microseconds
  to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years today transaction_timestamp
  try_strptime week weekday weekofyear year yearweek
  coalesce constant_or_null if ifnull nullif typeof
  array_contains array_distinct array_extract array_filter array_has array_length array_position array_slice array_sort
  array_to_string array_transform element_at list_append list_avg list_concat list_contains list_count list_distinct
  list_element list_extract list_filter list_has list_has_all list_has_any list_max list_median list_min list_position
  list_reverse list_reverse_sort list_slice list_sort list_sum list_transform list_unique list_value list_zip
  list_apply apply filter flatten array_value row struct_extract struct_extract_at struct_pack map map_extract map_keys
  map_values map_from_entries cardinality unnest
  to_base bin hex equi_width_bins
`;

const AGGREGATE = `
  any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_min arg_min_null argmax
  argmin array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count count_if count_star countif covar_pop covar_samp
  cume_dist dense_rank entropy favg fill first first_value fsum geomean geometric_mean group_concat histogram
  histogram_exact kahan_sum kurtosis kurtosis_pop lag last last_value lead list listagg mad max max_by mean median min
  min_by mode nth_value ntile percent_rank product quantile quantile_cont quantile_disc rank rank_dense regr_avgx
  regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile row_number sem
  skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance wavg
  weighted_avg grouping grouping_id
`;

const names = (list: string) => list.split(/\s+/).filter((name) => name !== '');

export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set([...names(SCALAR), ...names(AGGREGATE)]);

/** In FROM: series of numbers and dates, and lists as rows. */
export const ALLOWED_TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['range', 'generate_series', 'unnest']);

/** Pads to a constant length of at most this, so that they cannot fill the memory. */
export const PADDING_FUNCTIONS: ReadonlySet<string> = new Set(['lpad', 'rpad']);
export const MAX_PADDING = 1000;
