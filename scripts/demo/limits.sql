\echo
\echo 'Promised: no answer tells much about any one row. dp_ promises it for every possible data set,'
\echo '  idp_ for the actual one compared with those that differ from it in one row.'
\echo 'Not promised: protection of groups, nor of a person with several rows; with idp_ a value that'
\echo '  enough rows share is published exactly. Without a budget, repeating averages noise away.'
